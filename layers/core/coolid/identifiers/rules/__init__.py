"""Rules: what a repository says of its identifiers, one class a scheme, and how its identifiers come to be.

`base` says what all rules have in common and the three ways in which identifiers come to be (drawn, counted, given);
`table` turns a scheme's name and the rules' JSON into rules; the other modules are the schemes.
"""
