import { createElement } from '../dom.js'
import { createForm } from './form.js'
import { continueSignIn } from './token.js'

/** Adds "Try it" to every operation. The form is created when it is opened. */
export function addTryIt(root) {
  const resumed = continueSignIn()
  for (const section of root.querySelectorAll('[data-operation]')) {
    const operation = JSON.parse(section.dataset.operation)
    const button = createElement('button', { type: 'button', class: 'try-button', 'aria-expanded': 'false' }, 'Try it')
    let form
    button.addEventListener('click', () => {
      if (form) form.hidden = !form.hidden
      else {
        form = createForm(operation, section.id)
        button.after(form)
      }
      button.setAttribute('aria-expanded', String(!form.hidden))
      if (!form.hidden) form.querySelector('input, textarea, button')?.focus()
    })
    section.querySelector('.samples').prepend(button)
    if (section.id === resumed?.operation) {
      button.click()
      const tenant = section.querySelector('[data-tenant]')
      if (tenant) tenant.value = resumed.tenant
      section.querySelector('[data-use-session]')?.click()
    }
  }
}
