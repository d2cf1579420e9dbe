"""What a pasted text is: detection, extraction, explanation, suggestions."""
