"""Redirects at the edge: the data by which a CloudFront function answers identifiers of provider prefixes."""
