"""Words of a text, and what they count as."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from diarist.text import terms as module
from diarist.text.terms import forms, split_words, terms


@given(st.text(alphabet="abcXYZ059é語ßﷺ ", max_size=12))
def test_a_form_is_one_term_and_the_same_one_as_its_word_gives(text: str) -> None:
    """A form is kept in the place of the word it came from."""
    for word in split_words(text):
        for form in forms(word):
            assert split_words(form) == [form]
            assert list(forms(form)) == [form]
            assert terms(form)[0] in terms(word)


@settings(deadline=None)  # a pattern is compiled when it is first met
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("aZ9_ -.ß語のー・ไทยี한é…\u00a0")), max_size=60))
def test_words_are_runs_of_letters_of_one_kind_of_script(text: str) -> None:
    """However they are found: what is ASCII takes a shorter way."""
    spaceless = module._SPACELESS
    told = text if text.isascii() else re.sub("[…’“”–—×]", " ", text)
    assert split_words(text) == re.findall(rf"[{spaceless}]+|[^\W_{spaceless}]+", told)
