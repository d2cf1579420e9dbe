"""Citations in the styles of the Citation Style Language (CSL), rendered by citeproc-py.

`catalog` lists the styles and locales, `processor` renders a work. `work_text` prepares a work's texts, `elements`
corrects what citeproc-py renders otherwise than the specification, `typography` corrects punctuation, and `markup`
contains the forms of the result. `styles/` contains styles of the CSL project under a licence of their own.

The resolve function has no layer with this package, because citeproc-py and the styles are larger than its limit.
"""
