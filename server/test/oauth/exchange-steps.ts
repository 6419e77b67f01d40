import { type Tokens, token } from '../support/world.ts'

export const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

export interface Service {
  clientId: string
  clientSecret: string
}

export type ExchangeReply = Tokens & { expires_in: number; error_description?: string; issued_token_type?: string }

/** A token exchange of a client with a secret. */
export async function exchangeToken(
  url: string,
  { clientId: client_id, clientSecret: client_secret }: Service,
  subject_token: string,
  form: Record<string, string> = {},
): Promise<{ status: number; body: ExchangeReply }> {
  const fields = { grant_type: EXCHANGE_GRANT, subject_token, subject_token_type: ACCESS_TOKEN, ...form }
  const { status, body } = await token(url, { client_id, client_secret, ...fields })
  return { status, body: body as ExchangeReply }
}
