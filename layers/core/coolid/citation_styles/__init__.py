"""Citations in the styles of the Citation Style Language (CSL), rendered by citeproc-py.

`style_names` lists the styles, `locales` the locales, and `processor` renders a work. `work_text` prepares a work's
texts, `elements` corrects differences between citeproc-py and the specification, `punctuation` corrects the result,
and `formatter` has its forms. `styles/` contains styles of the CSL project with a licence of their own.

The resolve function has only `style_names`, because citeproc-py and the styles exceed the limit of its layers.
"""
