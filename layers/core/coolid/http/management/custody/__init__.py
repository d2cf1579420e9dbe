"""The endpoints of the transfer of custody: offers, acceptances, and what two services exchange."""
