import { t } from '../translate.ts'

export interface SnippetValues {
  issuer: string
  clientId: string
  /** Known only right after the client was created. */
  clientSecret?: string | undefined
  applicationId: string
  /** Empty for a machine client. */
  redirectUri: string
  postLogoutUri?: string | undefined
  /** False for a machine client of the instance. */
  ofTenant?: boolean
}

export interface SnippetFile {
  /** The path, relative to the folder of the program. */
  name: string
  code: string
}

export interface Snippet {
  files: SnippetFile[]
  /** The commands to run in the folder of the files. */
  run?: string
  /** What to do next. */
  next: string
}

/** A string in JavaScript, Python, PHP and Ruby. */
export const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
/** A string in Go, Rust, Java, C#, Swift, JSON, TOML and YAML. */
export const doubleQuote = (text: string) => JSON.stringify(text)
export const inShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
export const isInsecure = (issuer: string) => issuer.startsWith('http:')

const urlOf = (address: string) => (URL.canParse(address) ? new URL(address) : undefined)
const isWeb = (url: URL | undefined): url is URL => url !== undefined && /^https?:$/.test(url.protocol)

/** The origin of a web address. The address itself if it is not one. */
export function originOf(address: string): string {
  const url = urlOf(address)
  return isWeb(url) ? url.origin : address
}
export function homeOf(address: string): string {
  const url = urlOf(address)
  return isWeb(url) ? `${url.origin}/` : address
}
export const pathOf = (address: string) => urlOf(address)?.pathname ?? '/'
export const portOf = (address: string, fallback: string) => urlOf(address)?.port || fallback

const secretOf = ({ clientSecret }: SnippetValues) => inShell(clientSecret ?? 'your client secret')

/** A command that gets the client secret in an environment variable. */
export const withSecret = (values: SnippetValues, command: string, variable = 'LATCHKEY_CLIENT_SECRET') =>
  `${variable}=${secretOf(values)} ${command}`

export const openAndSignIn = (address: string) => t('Open {address} and sign in.', { address })
