// Lets people use passkeys on our pages. Each place for one says by its data what it is for and where it leads.

const ROUTES = {
  'sign-in': { options: '/api/auth/passkey/options', finish: '/api/auth/passkey' },
  'second-factor': { options: '/api/auth/passkey/options', finish: '/api/auth/passkey' },
  enrol: { options: '/api/users/me/mfa/passkeys/options', finish: '/api/users/me/mfa/passkeys' },
}

/** What the browser refuses, in words for the person. */
const REFUSALS = {
  InvalidStateError: 'There is a passkey of yours on this device already.',
  SecurityError: 'Passkeys do not work at this address.',
}

const isKnown =
  typeof PublicKeyCredential === 'function' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'toJSON' in PublicKeyCredential.prototype

if (isKnown) for (const place of document.querySelectorAll('[data-passkey]')) setUp(place)

function setUp(place) {
  const button = place.querySelector('button')
  let busy = false
  button.addEventListener('click', async () => {
    if (busy) return
    busy = true
    say(place, {})
    try {
      await run(place)
    } catch (error) {
      explain(place, error)
    } finally {
      busy = false
    }
  })
  for (const field of place.querySelectorAll('input')) {
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') button.click()
    })
  }
  place.hidden = false
}

async function run(place) {
  const { passkey: kind, next } = place.dataset
  const { options, finish } = ROUTES[kind]
  const asked = await post(options, questionOf(place, kind))
  const credential = await (kind === 'enrol' ? make(asked) : use(asked))
  const name = place.querySelector('#passkey-name')?.value.trim()
  const reply = await post(finish, { ...credential.toJSON(), ...(name && { name }) })
  if (reply.recoveryCodes) show(place, reply.recoveryCodes)
  else if (reply.mfaRequired) location.assign('/mfa')
  else location.assign(next)
}

function questionOf(place, kind) {
  if (kind !== 'enrol') return { passwordless: kind === 'sign-in' }
  const password = place.querySelector('#passkey-password').value
  return password ? { password } : {}
}

const make = (options) =>
  navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })

const use = (options) =>
  navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })

async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const reply = await response.json()
  if (response.ok) return reply
  throw Object.assign(new Error(reply.message), { refusal: reply.error })
}

function explain(place, { name, refusal, message }) {
  if (refusal === 'ACCOUNT_SCHEDULED_FOR_DELETION') location.assign(place.dataset.restore)
  else if (refusal === 'REAUTHENTICATION_REQUIRED') askForPassword(place, message)
  else if (refusal) say(place, { problem: message })
  // The person has changed their mind, or waited too long: nothing is wrong.
  else if (name === 'NotAllowedError' || name === 'AbortError') say(place, { note: 'No passkey was used.' })
  else say(place, { problem: REFUSALS[name] ?? 'That did not work. Try again.' })
}

function askForPassword(place, message) {
  const field = place.querySelector('[data-password]')
  say(place, { problem: message })
  field.hidden = false
  field.querySelector('input').focus()
}

function say(place, { problem = '', note = '' }) {
  place.querySelector('[role=alert]').textContent = problem
  place.querySelector('[role=status]').textContent = note
}

/** They are never shown again, so the person goes on when they have kept them. */
function show(place, codes) {
  const list = element('ul', { className: 'codes' })
  list.append(...codes.map((code) => element('li', { textContent: code })))
  const on = element('a', { className: 'button', href: place.dataset.next, textContent: 'I have kept them' })
  const title = element('h2', { textContent: 'Keep these recovery codes', tabIndex: -1 })
  place.querySelector('[role=status]').replaceChildren(
    title,
    element('p', {
      textContent:
        'Your passkey is added. If you lose it, each of these lets you in once. They are shown only now: print them, or keep them in a password manager.',
    }),
    list,
    on,
  )
  for (const part of place.querySelectorAll('button, .field')) part.remove()
  title.focus()
}

const element = (tag, properties) => Object.assign(document.createElement(tag), properties)
