// Submits the only form of the page.
document.forms[0].submit()
