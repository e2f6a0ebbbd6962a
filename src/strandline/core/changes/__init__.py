"""What differs between two versions of a page or of a site, and how much it matters.

Read upwards: `words` and `edits` know texts, `delta` compares pages, `noise` and `page` tell what moves by itself and
what stands, `score` weighs, `told` says it to people; `versions` keeps all of it for a page.
"""
