import { baseUrl, encodeFields, type Fields } from './service.ts'

type Headers = Record<string, string>

/** fetch with cookies, with the Origin header for forms, and without following redirects. */
export interface Browser {
  cookies: Map<string, string>
  get(url: string, headers?: Headers): Promise<Response>
  post(url: string, fields: Fields, headers?: Headers): Promise<Response>
  postJson(url: string, body: unknown): Promise<Response>
}

export function openBrowser(): Browser {
  const cookies = new Map<string, string>()
  const request = async (url: string, init: RequestInit, headers: Headers) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(url, baseUrl), {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie ? { cookie } : {}), ...headers },
    })
    for (const line of response.headers.getSetCookie()) storeCookie(cookies, line)
    return response
  }
  const origin = new URL(baseUrl).origin
  return {
    cookies,
    get: (url, headers = {}) => request(url, { method: 'GET' }, headers),
    post: (url, fields, headers = {}) =>
      request(url, { method: 'POST', body: encodeFields(fields) }, { origin, ...headers }),
    postJson: (url, body) =>
      request(url, { method: 'POST', body: JSON.stringify(body) }, { origin, 'content-type': 'application/json' }),
  }
}

function storeCookie(cookies: Map<string, string>, line: string) {
  const [pair = '', ...attributes] = line.split(';')
  const [name = '', ...rest] = pair.trim().split('=')
  const gone = attributes.some((attribute) => {
    const [key = '', value = ''] = attribute.trim().split('=')
    if (/^max-age$/i.test(key)) return Number(value) <= 0
    return /^expires$/i.test(key) && Date.parse(value) <= Date.now()
  })
  if (gone) cookies.delete(name)
  else cookies.set(name, rest.join('='))
}
