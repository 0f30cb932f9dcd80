"""The rules as data: facts about token formats, written down by us. No upstream rule text."""
