import type { Ctx } from '../../context.ts'
import { OAuthError } from '../../errors.ts'
import { answerNextBy } from '../../lib/grounds.ts'
import { type AuthenticatedClient, invalidClient } from '../client-auth.ts'
import { countIssued } from '../figures.ts'
import type { TokenForm, TokenReply } from '../schema.ts'
import { parseScope } from '../scopes.ts'
import { prepareMachineToken } from '../tokens.ts'

/** The client credentials grant (RFC 6749 §4.4). Without a wish the machine gets every scope it is allowed. */
export function grantToMachine(
  ctx: Ctx,
  { client, secretId }: AuthenticatedClient,
  form: TokenForm,
): Promise<TokenReply> {
  if (secretId === undefined) throw invalidClient(false)
  // Libraries send openid out of habit; without a person it means nothing.
  const wish = parseScope(form.scope)
  const wanted = wish.filter((scope) => scope !== 'openid')
  if (wanted.some((scope) => !client.scopes.includes(scope))) {
    throw new OAuthError('invalid_scope', 'The client is not allowed one of these scopes.')
  }
  const scopes = wish.length === 0 ? client.scopes : wanted
  const issue = prepareMachineToken(ctx, { client, secretId, scopes })
  answerNextBy(async () => {
    const issued = await issue()
    countIssued(ctx, 'client_credentials')
    return issued
  })
  return issue()
}
