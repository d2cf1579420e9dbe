"""Recognition of pasted text: detection, extraction, unwrapping, explanation."""
