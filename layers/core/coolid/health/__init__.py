"""Checks of providers and targets: schedule, check states, link reports, webhooks."""
