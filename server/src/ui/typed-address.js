// Carries the email address that was typed to the next page of the sign-in, sign-up or reset. It is stored only from
// the click on a link until the next page.

const KEY = 'latchkey-typed-address'
const field = document.querySelector('input[type=email][name=email]:not([readonly])')

const typed = sessionStorage.getItem(KEY)
sessionStorage.removeItem(KEY)
if (field && typed) {
  field.value = typed
  if (document.activeElement === field) field.form.querySelector('input[type=password]')?.focus()
}

document.addEventListener('click', ({ target }) => {
  if (field?.value && target.closest('a[href]')) sessionStorage.setItem(KEY, field.value)
})
