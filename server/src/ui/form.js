// Improves the forms of the hosted pages. They also work without it.

const SVG = 'http://www.w3.org/2000/svg'
const EYE = 'M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12z M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z'
const STROKE = 'M4 4l16 16'

for (const wrapper of document.querySelectorAll('.password')) addVisibilityButton(wrapper)

/** A toggle button that shows what was typed. */
function addVisibilityButton(wrapper) {
  const input = wrapper.querySelector('input')
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'reveal' })
  // The name does not change: the pressed state says whether the password is visible.
  const name = Object.assign(document.createElement('span'), {
    className: 'unseen',
    textContent: wrapper.dataset.reveal,
  })
  button.append(createEye(), name)
  const show = (visible) => {
    input.type = visible ? 'text' : 'password'
    button.setAttribute('aria-pressed', String(visible))
  }
  button.setAttribute('aria-controls', input.id)
  button.addEventListener('click', () => show(input.type === 'password'))
  // Password managers recognize only a password field, and the browser must not remember a visible text.
  input.form?.addEventListener('submit', () => show(false))
  show(false)
  input.spellcheck = false
  input.autocapitalize = 'none'
  wrapper.append(button)
}

function createEye() {
  const icon = document.createElementNS(SVG, 'svg')
  icon.setAttribute('viewBox', '0 0 24 24')
  icon.setAttribute('aria-hidden', 'true')
  for (const line of [EYE, STROKE]) {
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', line)
    icon.append(path)
  }
  return icon
}

/** A response that is not a page, such as the start of another program, leaves this page as it is. */
const MAX_PENDING_MS = 15_000

document.addEventListener('submit', (event) => {
  if (event.defaultPrevented) return
  const buttons = event.target.querySelectorAll('button[type=submit]')
  const pressed = event.submitter ?? buttons[0]
  // The name and value of the pressed button belong to the form, which the browser reads after this event.
  setTimeout(() => {
    for (const button of buttons) button.disabled = true
    pressed?.setAttribute('aria-busy', 'true')
  })
  setTimeout(endPending, MAX_PENDING_MS)
})
// The back button may show this page again as it was left.
addEventListener('pageshow', endPending)

function endPending() {
  for (const pressed of document.querySelectorAll('form button[aria-busy]')) {
    pressed.removeAttribute('aria-busy')
    for (const button of pressed.form.querySelectorAll('button[type=submit]')) button.disabled = false
  }
}

for (const button of document.querySelectorAll('[data-copy], [data-print]')) button.hidden = false

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy], [data-print]')
  if (!button) return
  if ('print' in button.dataset) return print()
  await navigator.clipboard.writeText(button.dataset.copy)
  const { copied } = button.dataset
  const label = button.textContent
  if (label === copied) return
  button.textContent = copied
  setTimeout(() => {
    button.textContent = label
  }, 2_000)
})
