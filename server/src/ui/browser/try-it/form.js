import { createElement } from '../dom.js'
import { createCredentials } from './credentials.js'
import { createReply } from './reply.js'
import { createRequest } from './request.js'

/** Within this time after the question, a submit belongs to a double click and is no answer. */
const QUESTION_MS = 1_000

/** The form that sends one operation to the service of this page. */
export function createForm(operation, id) {
  const credentials = createCredentials(operation.authentication, id)
  const fields = operation.parameters.map((parameter) => createParameter(parameter, id))
  const body = operation.mediaType === undefined ? undefined : createBody(operation, id)
  const notice = createElement('p', { class: 'notice', role: 'status' })
  const send = createElement('button', { type: 'submit' }, 'Send')
  const reply = createElement('div', { class: 'try-reply', 'aria-live': 'polite' })
  const form = createElement(
    'form',
    { class: 'try-it', 'aria-label': `Try ${operation.method} ${operation.path}`, noValidate: true },
    credentials?.element,
    ...fields.map(({ element }) => element),
    body?.element,
    notice,
    send,
    reply,
  )
  let isConfirmed = operation.method === 'GET'
  let askedAt = Number.NEGATIVE_INFINITY
  ignoreHeldEnter(form)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (performance.now() - askedAt < QUESTION_MS) return
    notice.textContent = ''
    try {
      const request = createRequest(operation, { fields, body: body?.value(), headers: credentials?.headers() ?? {} })
      if (!isConfirmed) {
        isConfirmed = true
        askedAt = performance.now()
        send.textContent = 'Send, and change data'
        notice.textContent = `${operation.method} may change data of this instance. Press the button again to send it.`
        return
      }
      send.disabled = true
      reply.replaceChildren(await createReply(request))
    } catch (error) {
      notice.textContent = error.message
      return
    } finally {
      send.disabled = false
    }
    isConfirmed = operation.method === 'GET'
    send.textContent = 'Send'
  })
  // Another request than the one that was confirmed is confirmed again.
  form.addEventListener('input', () => {
    isConfirmed = operation.method === 'GET'
    askedAt = Number.NEGATIVE_INFINITY
    send.textContent = 'Send'
    notice.textContent = ''
  })
  return form
}

/** A held Enter submits again and again. In a text area it only writes lines. */
function ignoreHeldEnter(form) {
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.repeat && event.target.tagName !== 'TEXTAREA') event.preventDefault()
  })
}

export function createField(label, control) {
  return createElement('div', { class: 'try-field' }, createElement('label', { htmlFor: control.id }, label), control)
}

/** Required parameters are empty, so that nobody sends an example by mistake. */
function createParameter({ name, in: place, required, example }, id) {
  const input = createElement('input', { id: `${id}-${place}-${name}`, placeholder: example, autocomplete: 'off' })
  const label = `${name}${required ? '' : ' (optional)'}`
  return { name, place, required, element: createField(label, input), value: () => input.value.trim() }
}

function createBody({ mediaType, body }, id) {
  const text =
    mediaType === 'application/json'
      ? JSON.stringify(body, null, 2)
      : new URLSearchParams(body).toString().replaceAll('&', '&\n')
  const area = createElement('textarea', {
    id: `${id}-body`,
    value: text,
    rows: Math.min(16, text.split('\n').length + 1),
    spellcheck: false,
  })
  return { element: createField(mediaType === 'application/json' ? 'Body' : 'Form', area), value: () => area.value }
}
