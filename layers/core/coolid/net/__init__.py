"""Network parts that the client and the functions share. They import no other package of coolid."""
