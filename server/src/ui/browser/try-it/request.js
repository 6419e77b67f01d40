/** The request of the form. Throws a sentence for the person if it cannot be sent. */
export function createRequest({ method, path, mediaType }, { fields, body, headers }) {
  const values = (place) => fields.filter((field) => field.place === place && (field.required || field.value() !== ''))
  const missing = fields.find((field) => field.required && field.value() === '')
  if (missing) throw new Error(`Fill in ${missing.name}.`)
  const filled = values('path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value())),
    path,
  )
  const url = new URL(filled, window.location.origin)
  for (const { name, value } of values('query')) url.searchParams.set(name, value())
  const sent = new Headers(headers)
  for (const { name, value } of values('header')) sent.set(name, value())
  if (mediaType !== undefined) sent.set('Content-Type', mediaType)
  return {
    url,
    options: {
      method,
      headers: sent,
      // The session cookie would make the answer differ from that of a program.
      credentials: 'omit',
      ...(mediaType !== undefined && {
        body: mediaType === 'application/json' ? checkJson(body) : body.replaceAll('\n', ''),
      }),
    },
  }
}

function checkJson(text) {
  try {
    JSON.parse(text)
  } catch (error) {
    throw new Error(`The body is not valid JSON: ${error.message}`)
  }
  return text
}
