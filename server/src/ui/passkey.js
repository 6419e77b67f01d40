// Passkeys on the hosted pages. The data attributes of each container set its purpose and the next page.

const ROUTES = {
  'sign-in': { options: '/api/auth/passkey/options', finish: '/api/auth/passkey' },
  'second-factor': { options: '/api/auth/passkey/options', finish: '/api/auth/passkey' },
  enrol: { options: '/api/users/me/mfa/passkeys/options', finish: '/api/users/me/mfa/passkeys' },
}

/** Messages for errors of the browser. */
const ERROR_MESSAGES = {
  InvalidStateError: 'There is a passkey of yours on this device already.',
  SecurityError: 'Passkeys do not work at this address.',
}

const isSupported =
  typeof PublicKeyCredential === 'function' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'toJSON' in PublicKeyCredential.prototype

if (isSupported) for (const container of document.querySelectorAll('[data-passkey]')) setUp(container)

function setUp(container) {
  const button = container.querySelector('button')
  let busy = false
  button.addEventListener('click', async () => {
    if (busy) return
    busy = true
    showMessage(container, {})
    try {
      await run(container)
    } catch (error) {
      showError(container, error)
    } finally {
      busy = false
    }
  })
  for (const field of container.querySelectorAll('input')) {
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') button.click()
    })
  }
  container.hidden = false
}

async function run(container) {
  const { passkey: kind, next } = container.dataset
  const { options, finish } = ROUTES[kind]
  const request = await post(options, createOptionsRequest(container, kind))
  const credential = await (kind === 'enrol' ? createCredential(request) : getCredential(request))
  const name = container.querySelector('#passkey-name')?.value.trim()
  const reply = await post(finish, { ...credential.toJSON(), ...(name && { name }) })
  if (reply.recoveryCodes) showRecoveryCodes(container, reply.recoveryCodes)
  else if (reply.mfaRequired) location.assign('/mfa')
  else location.assign(next)
}

function createOptionsRequest(container, kind) {
  if (kind !== 'enrol') return { passwordless: kind === 'sign-in' }
  const password = container.querySelector('#passkey-password').value
  return password ? { password } : {}
}

const createCredential = (options) =>
  navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })

const getCredential = (options) =>
  navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })

async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const reply = await response.json()
  if (response.ok) return reply
  throw Object.assign(new Error(reply.message), { errorCode: reply.error })
}

function showError(container, { name, errorCode, message }) {
  if (errorCode === 'ACCOUNT_SCHEDULED_FOR_DELETION') location.assign(container.dataset.restore)
  else if (errorCode === 'REAUTHENTICATION_REQUIRED') askForPassword(container, message)
  else if (errorCode) showMessage(container, { problem: message })
  // The user canceled or the browser timed out, which is not an error.
  else if (name === 'NotAllowedError' || name === 'AbortError') showMessage(container, { note: 'No passkey was used.' })
  else showMessage(container, { problem: ERROR_MESSAGES[name] ?? 'That did not work. Try again.' })
}

function askForPassword(container, message) {
  const field = container.querySelector('[data-password]')
  showMessage(container, { problem: message })
  field.hidden = false
  field.querySelector('input').focus()
}

function showMessage(container, { problem = '', note = '' }) {
  container.querySelector('[role=alert]').textContent = problem
  container.querySelector('[role=status]').textContent = note
}

/** Recovery codes are shown only once, so the user continues with a link after saving them. */
function showRecoveryCodes(container, codes) {
  const list = element('ul', { className: 'codes' })
  list.append(...codes.map((code) => element('li', { textContent: code })))
  const continueLink = element('a', {
    className: 'button',
    href: container.dataset.next,
    textContent: 'I have kept them',
  })
  const title = element('h2', { textContent: 'Keep these recovery codes', tabIndex: -1 })
  container.querySelector('[role=status]').replaceChildren(
    title,
    element('p', {
      textContent:
        'Your passkey is added. If you lose it, each of these lets you in once. They are shown only now: print them, or keep them in a password manager.',
    }),
    list,
    continueLink,
  )
  for (const part of container.querySelectorAll('button, .field')) part.remove()
  title.focus()
}

const element = (tag, properties) => Object.assign(document.createElement(tag), properties)
