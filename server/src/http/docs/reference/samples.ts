import type { SampleRequest } from './request.ts'

export interface Language {
  id: string
  name: string
  write(request: SampleRequest): string
}

const isForm = ({ mediaType }: SampleRequest) => mediaType === 'application/x-www-form-urlencoded'
const formEntries = ({ body }: SampleRequest) =>
  Object.entries(body as Record<string, unknown>).map(([name, value]) => [name, String(value)] as const)
const indent = (text: string, by: string) => text.replaceAll('\n', `\n${by}`)
const toJson = (value: unknown) => JSON.stringify(value, null, 2)

function writeCurl(request: SampleRequest): string {
  const { method, url, authentication, mediaType, body } = request
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const bodyOptions = isForm(request)
    ? formEntries(request).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`)
    : mediaType === undefined
      ? []
      : [`--header 'Content-Type: ${mediaType}'`, `--data ${quote(toJson(body))}`]
  return [
    `curl${method === 'GET' ? '' : ` --request ${method}`} ${quote(url)}`,
    ...(authentication === 'token' ? ['--header "Authorization: Bearer $TOKEN"'] : []),
    ...(authentication === 'client' ? ['--user "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...bodyOptions,
  ].join(' \\\n  ')
}

/** A JavaScript literal: keys without quotes where the language allows it, and single quotes. */
function toScript(value: unknown): string {
  const quote = (text: string) => `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  return toJson(value)
    .replace(/"([A-Za-z_]\w*)":/g, '$1:')
    .replace(/"(?:[^"\\]|\\.)*"/g, quote)
}

function writeJavaScript(request: SampleRequest): string {
  const { method, url, authentication, mediaType, body, repliesJson } = request
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the example contains a template.
  const bearer = 'Authorization: `Bearer ${token}`,'
  const basic = "Authorization: 'Basic ' + btoa(clientId + ':' + clientSecret),"
  const headers = [
    ...(authentication === 'token' ? [bearer] : []),
    ...(authentication === 'client' ? [basic] : []),
    ...(mediaType !== undefined && !isForm(request) ? [`'Content-Type': '${mediaType}',`] : []),
  ]
  const encoder = isForm(request) ? 'new URLSearchParams' : 'JSON.stringify'
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length > 0 ? [`headers: {\n    ${headers.join('\n    ')}\n  },`] : []),
    ...(mediaType === undefined ? [] : [`body: ${encoder}(${indent(toScript(body), '  ')}),`]),
  ]
  const call = options.length > 0 ? `fetch('${url}', {\n  ${options.join('\n  ')}\n})` : `fetch('${url}')`
  return [
    `const response = await ${call}`,
    'if (!response.ok) throw new Error(await response.text())',
    `const result = await response.${repliesJson ? 'json' : 'text'}()`,
  ].join('\n')
}

/** A Python literal. Strings of JSON are valid in Python. */
const toPython = (value: unknown): string =>
  toJson(value)
    .replaceAll('  ', '    ')
    .replace(/(^|[:[\n] *)(true|false|null)(?=,?$)/gm, (_, before: string, word: string) => before + PYTHON[word])

const PYTHON: Record<string, string> = { true: 'True', false: 'False', null: 'None' }

function writePython(request: SampleRequest): string {
  const { method, url, authentication, mediaType, body, repliesJson } = request
  const parameter = isForm(request) ? 'data' : 'json'
  const lines = [
    `"${url}",`,
    ...(authentication === 'token' ? ['headers={"Authorization": f"Bearer {token}"},'] : []),
    ...(authentication === 'client' ? ['auth=(client_id, client_secret),'] : []),
    ...(mediaType === undefined ? [] : [`${parameter}=${indent(toPython(body), '    ')},`]),
  ]
  return [
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(\n    ${lines.join('\n    ')}\n)`,
    'response.raise_for_status()',
    `result = response.${repliesJson ? 'json()' : 'text'}`,
  ].join('\n')
}

function writeGo(request: SampleRequest): string {
  const { method, url, authentication, mediaType } = request
  return [
    ...goBody(request),
    `request, err := http.NewRequest("${method}", "${url}", ${mediaType === undefined ? 'nil' : 'body'})`,
    GO_CHECK,
    ...(authentication === 'token' ? ['request.Header.Set("Authorization", "Bearer "+token)'] : []),
    ...(authentication === 'client' ? ['request.SetBasicAuth(clientID, clientSecret)'] : []),
    ...(mediaType === undefined ? [] : [`request.Header.Set("Content-Type", "${mediaType}")`]),
    'response, err := http.DefaultClient.Do(request)',
    GO_CHECK,
    'defer response.Body.Close()',
    'result, err := io.ReadAll(response.Body)',
  ].join('\n')
}

const GO_CHECK = 'if err != nil {\n\treturn err\n}'

function goBody(request: SampleRequest): string[] {
  if (request.mediaType === undefined) return []
  if (!isForm(request)) return [`body := strings.NewReader(\`${toJson(request.body)}\`)`]
  const lines = formEntries(request).map(([name, value]) => `\t"${name}": {${JSON.stringify(value)}},`)
  return [`body := strings.NewReader(url.Values{\n${lines.join('\n')}\n}.Encode())`]
}

/** The languages of the examples, in the order of the switch. */
export const LANGUAGES: Language[] = [
  { id: 'curl', name: 'curl', write: writeCurl },
  { id: 'javascript', name: 'JavaScript', write: writeJavaScript },
  { id: 'python', name: 'Python', write: writePython },
  { id: 'go', name: 'Go', write: writeGo },
]
