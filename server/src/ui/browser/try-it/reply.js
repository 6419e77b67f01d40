import { createElement } from '../dom.js'

const MAX_LENGTH = 200_000

/** Sends the request and shows the status, the time, the headers and the body. */
export async function createReply({ url, options }) {
  const start = performance.now()
  let response
  try {
    response = await fetch(url, options)
  } catch {
    throw new Error('The service did not answer. Check the connection, and try again.')
  }
  const text = await response.text()
  const milliseconds = Math.round(performance.now() - start)
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  return createElement(
    'figure',
    { class: 'code-box reply' },
    createElement(
      'figcaption',
      {},
      createElement(
        'strong',
        { class: response.ok ? 'good' : 'bad' },
        `${response.status} ${response.statusText}`.trim(),
      ),
      createElement('span', { class: 'language-name' }, `${milliseconds} ms`),
    ),
    createElement(
      'details',
      {},
      createElement('summary', {}, 'Headers'),
      createElement('pre', {}, createElement('code', {}, headers)),
    ),
    createElement('pre', { class: 'reply-body' }, createElement('code', {}, format(text))),
  )
}

function format(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, MAX_LENGTH)
  } catch {
    return text.slice(0, MAX_LENGTH)
  }
}
