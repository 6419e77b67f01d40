export interface SnippetValues {
  issuer: string
  clientId: string
  /** Known only right after the client was created. */
  clientSecret?: string | undefined
  applicationId: string
  redirectUri?: string | undefined
  postLogoutUri?: string | undefined
  /** False for a machine client of the instance. */
  ofTenant?: boolean
}

export interface Snippet {
  /** The library or tool. */
  tool: string
  file: string
  code: string
  /** The commands to run in the folder of the file. */
  run: string
  /** What to do next. */
  next: string
}

export const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
export const inShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
export const isInsecure = (issuer: string) => issuer.startsWith('http:')
export const secretOf = ({ clientSecret }: SnippetValues) => inShell(clientSecret ?? 'your client secret')
export const homeOf = (address: string) => (URL.canParse(address) ? `${new URL(address).origin}/` : address)
