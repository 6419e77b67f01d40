// Passkeys on the hosted pages. The data attributes of each container set its purpose, the next page and the texts.

const ROUTES = {
  'sign-in': { options: '/api/auth/passkey/options', finish: '/api/auth/passkey' },
  'second-factor': { options: '/api/auth/passkey/options', finish: '/api/auth/passkey' },
  enrol: { options: '/api/users/me/mfa/passkeys/options', finish: '/api/users/me/mfa/passkeys' },
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
    headers: { 'Content-Type': 'application/json', 'Latchkey-Language': document.documentElement.lang },
    body: JSON.stringify(body),
  })
  const reply = await response.json()
  if (response.ok) return reply
  throw Object.assign(new Error(reply.message), { errorCode: reply.error })
}

function showError(container, { name, errorCode, message }) {
  const texts = JSON.parse(container.dataset.texts)
  if (errorCode === 'ACCOUNT_SCHEDULED_FOR_DELETION') location.assign(container.dataset.restore)
  else if (errorCode === 'REAUTHENTICATION_REQUIRED') askForPassword(container, message)
  else if (errorCode) showMessage(container, { problem: message })
  // The user canceled or the browser timed out, which is not an error.
  else if (name === 'NotAllowedError' || name === 'AbortError') showMessage(container, { note: texts.unused })
  else showMessage(container, { problem: texts[name] ?? texts.failed })
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
  const parts = container.querySelector('template').content
  const text = `${codes.join('\n')}\n`
  parts
    .querySelector('ul')
    .append(...codes.map((code) => Object.assign(document.createElement('li'), { textContent: code })))
  parts.querySelector('[download]').href = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`
  parts.querySelector('[data-copy]').dataset.copy = text
  // form.js handles these buttons.
  for (const button of parts.querySelectorAll('[data-copy], [data-print]')) button.hidden = false
  for (const part of container.querySelectorAll('button, .field')) part.remove()
  const status = container.querySelector('[role=status]')
  status.replaceChildren(parts)
  status.querySelector('h2').focus()
}
