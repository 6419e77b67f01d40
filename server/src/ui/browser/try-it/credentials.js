import { createElement } from '../dom.js'
import { createField } from './form.js'
import { findToken, forgetToken, getSessionToken, onTokenChange, pasteToken } from './token.js'

/** The inputs for the credentials of an operation; undefined if it needs none. */
export function createCredentials(authentication, id) {
  if (authentication === 'none') return undefined
  return authentication === 'client' ? createClientCredentials(id) : createTokenChoice(id)
}

function createClientCredentials(id) {
  const clientId = createElement('input', { id: `${id}-client-id`, autocomplete: 'off' })
  const secret = createElement('input', { id: `${id}-client-secret`, type: 'password', autocomplete: 'off' })
  return {
    element: createElement('div', {}, createField('Client id', clientId), createField('Client secret', secret)),
    headers: () =>
      // RFC 6749 §2.3.1: both are encoded as in a form.
      clientId.value === '' || secret.value === ''
        ? {}
        : {
            Authorization: `Basic ${btoa(`${encodeURIComponent(clientId.value)}:${encodeURIComponent(secret.value)}`)}`,
          },
  }
}

/** One token serves all forms of the page. It is in no storage, and a reload forgets it. */
function createTokenChoice(id) {
  const tenant = createElement('input', {
    id: `${id}-tenant`,
    'data-tenant': '',
    placeholder: 'acme',
    autocomplete: 'off',
  })
  const session = createElement('button', { type: 'button', class: 'second', 'data-use-session': '' }, 'Use my session')
  const pasted = createElement('input', { id: `${id}-token`, type: 'password', autocomplete: 'off' })
  const clear = createElement('button', { type: 'button', class: 'second' }, 'Forget the token')
  const state = createElement('p', { class: 'token-state', role: 'status' })
  const show = () => {
    const token = findToken()
    state.textContent = token ? `Token: ${token.description}` : 'No token yet: the request is sent without one.'
    clear.hidden = !token
  }
  const run = (action) => async () => {
    state.textContent = 'Getting a token …'
    try {
      await action()
      show()
    } catch (error) {
      state.textContent = error.message
    }
  }
  session.addEventListener(
    'click',
    run(() => getSessionToken(tenant.value.trim(), id)),
  )
  pasted.addEventListener(
    'change',
    run(() => pasteToken(pasted.value.trim())),
  )
  clear.addEventListener('click', () => {
    pasted.value = ''
    forgetToken()
  })
  onTokenChange(show)
  show()
  const element = createElement(
    'fieldset',
    { class: 'credentials' },
    createElement('legend', {}, 'Access token'),
    state,
    createField('Paste a token', pasted),
    createField('Or use your session, for the tenant (optional)', tenant),
    createElement('div', { class: 'credential-actions' }, session, clear),
  )
  return { element, headers: () => (findToken() ? { Authorization: `Bearer ${findToken().value}` } : {}) }
}
