"""How clients tell that a command failed."""

from __future__ import annotations

from typing import Any

import pytest

from diarist.hook.failing import Output, failed_output

E = "TypeError: x"


@pytest.mark.parametrize(
    ("payload", "output"),
    [
        ({"tool_name": "Bash", "error": E}, Output(E)),
        ({"toolName": "powershell", "error": E}, Output(E)),
        ({"tool_name": "Bash", "tool_response": f"Exit code: 2\nOutput:\n{E}"}, Output(f"Exit code: 2\nOutput:\n{E}")),
        ({"tool_name": "Bash", "tool_response": f"Process exited with code 0\n{E}"}, None),
        ({"tool_name": "Bash", "tool_response": E}, Output(E, certain=False)),
        ({"tool_name": "Bash", "tool_response": "all is well"}, None),
        ({"tool_name": "exec_command", "tool_response": {"output": E, "metadata": {"exit_code": 1}}}, Output(E)),
        ({"tool_name": "exec_command", "tool_response": {"output": E, "exit_code": 0}}, None),
        ({"tool_name": "run_shell_command", "tool_response": {"llmContent": E, "error": {"message": "m"}}}, Output(E)),
        ({"tool_name": "run_shell_command", "tool_response": {"llmContent": f"Stderr: {E}\nExit Code: 1"}}, Output(f"{E}\nExit Code: 1")),
        ({"toolName": "bash", "toolResult": {"resultType": "failure", "textResultForLlm": E}}, Output(E)),
        ({"toolName": "bash", "toolResult": {"resultType": "success", "textResultForLlm": "fine"}}, None),
        ({"tool_name": "Bash", "error": E, "is_interrupt": True}, None),
        ({"tool_name": "Edit", "error": E}, None),
        ({"tool_name": 7, "error": E}, None),
        ({"tool_name": "Bash", "tool_response": [E]}, None),
        ({"tool_name": "Bash"}, None),
        ({}, None),
    ],
)
def test_a_failed_command_is_known_in_every_client(payload: dict[str, Any], output: Output | None) -> None:
    assert failed_output(payload) == output
