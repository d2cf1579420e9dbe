"""Probing: asking other people's hosts whether an address leads to anything, without harm to them or to us.

What is asked is written by strangers, so nothing but the public Internet is connected to (`reaching`). A URL becomes a
`places.Place`; `dialling` looks its name up once, judges every address and connects to one that it has judged; `asking`
sends one request and hears the head of its answer; `visiting` does so with `manners`, in the time that there is. What
the answer or the failure (`failing`) means is said by `judging`. On these stand `looking`, which follows redirects, and
`sending`, which POSTs letters to webhooks and follows nothing.

Who is due is planned by `planning`, and told in `letters` through a `queue` to the `prober`, which has them looked at,
keeps what is worth `keeping` and leaves the `telling` of it to that; `notifying` writes to webhooks. `probe` is the
function that does it all.
"""
