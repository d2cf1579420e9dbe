// Marks a document whose browser runs scripts. It runs before anything is shown, so that no content moves afterwards.
document.documentElement.classList.add("scripted");
