"""The source `handle`: what a Handle server exports, as batch file, listing, table or JSON."""
