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
  const button = container.querySelector('button:not(.reveal)')
  button.addEventListener('click', async () => {
    if (button.disabled) return
    button.disabled = true
    button.setAttribute('aria-busy', 'true')
    showMessage(container, {})
    // A browser refuses a second request while it still offers passkeys in the field.
    autofill?.abort()
    try {
      await run(container)
    } catch (error) {
      showError(container, error)
      offerAutofill(container)
    } finally {
      button.disabled = false
      button.removeAttribute('aria-busy')
    }
  })
  for (const field of container.querySelectorAll('input')) {
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') button.click()
    })
  }
  container.hidden = false
  offerAutofill(container)
}

/** The request behind the passkeys that the browser offers in the field of the email address. */
let autofill
/** The challenge of the request is renewed before it expires. */
const RENEW_MS = 4 * 60_000
const RENEWED = 'renewed'

async function offerAutofill(container) {
  const { passkey: kind, next } = container.dataset
  if (kind !== 'sign-in' || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  autofill = new AbortController()
  const { signal } = autofill
  const timer = setTimeout(renewAutofill, RENEW_MS, autofill)
  try {
    // Without a challenge the person signs in as they do without autofill.
    const request = await post(ROUTES[kind].options, createOptionsRequest(container, kind)).catch(() => undefined)
    if (!request) return
    const credential = await getCredential(request, { mediation: 'conditional', signal })
    await finishWith(credential, { container, kind, next })
  } catch (error) {
    if (signal.reason === RENEWED) return offerAutofill(container)
    if (signal.aborted || !error.errorCode) return
    showError(container, error)
    return offerAutofill(container)
  } finally {
    clearTimeout(timer)
  }
}

/** A page in the background is renewed when the person comes back to it. */
function renewAutofill(request) {
  if (!document.hidden) return request.abort(RENEWED)
  document.addEventListener('visibilitychange', () => request.abort(RENEWED), { once: true })
}

async function run(container) {
  const { passkey: kind, next } = container.dataset
  const request = await post(ROUTES[kind].options, createOptionsRequest(container, kind))
  const credential = await (kind === 'enrol' ? createCredential(request) : getCredential(request))
  await finishWith(credential, { container, kind, next })
}

async function finishWith(credential, { container, kind, next }) {
  const name = container.querySelector('#passkey-name')?.value.trim()
  const reply = await post(ROUTES[kind].finish, { ...credential.toJSON(), ...(name && { name }) })
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

const getCredential = (options, mode = {}) =>
  navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options), ...mode })

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
  const text = `${codes.join('\n')}\n`
  const copy = element('button', { type: 'button', className: 'second', textContent: 'Copy' })
  const download = element('a', {
    className: 'button second',
    href: `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`,
    download: 'recovery-codes.txt',
    textContent: 'Download',
  })
  const print = element('button', { type: 'button', className: 'second', textContent: 'Print' })
  // form.js handles these buttons.
  copy.dataset.copy = text
  print.dataset.print = ''
  const actions = element('p', { className: 'actions' })
  actions.append(copy, download, print)
  const continueLink = element('a', {
    className: 'button',
    href: container.dataset.next,
    textContent: 'I have kept them',
  })
  const title = element('h2', { textContent: 'Keep these recovery codes', tabIndex: -1 })
  for (const part of container.querySelectorAll('button, .field')) part.remove()
  container.querySelector('[role=status]').replaceChildren(
    title,
    element('p', {
      textContent:
        'Your passkey is added. If you lose it, each of these lets you in once. They are shown only now: print them, or keep them in a password manager.',
    }),
    list,
    actions,
    continueLink,
  )
  title.focus()
}

const element = (tag, properties) => Object.assign(document.createElement(tag), properties)
