"""Transfer of custody: offers and transfers of own records, and adopted copies of the records of other services.

`versions` has the versions that only these operations write, `adoption` stores the versions of other services.
"""
