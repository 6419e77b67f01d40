import type { Ctx } from '../../context.ts'
import type { TokenRequester } from '../client-auth.ts'
import { createRefreshToken, toSubject } from '../grant-subject.ts'
import { issueTokens, lifetimeOf } from '../issue-tokens.ts'
import { findLicenseOfSubject } from '../license-claim.ts'
import type { TokenResponse } from '../schema.ts'
import { type GrantRow, redeemCode } from './store.ts'

/** Issues the first tokens of a grant; undefined if its code was used before. */
export async function redeem(
  ctx: Ctx,
  { client, proof }: Pick<TokenRequester, 'client' | 'proof'>,
  grant: GrantRow,
): Promise<TokenResponse | undefined> {
  const now = ctx.now()
  const subject = toSubject(client, grant)
  const hasRefreshToken = subject.scopes.includes('offline_access')
  const lifetime = lifetimeOf(ctx, client, hasRefreshToken ? 'refreshToken' : 'accessToken')
  const expiresAt = new Date(now.getTime() + lifetime * 1000)
  const refresh = hasRefreshToken ? createRefreshToken(ctx, client, expiresAt) : undefined
  const redemption = { grantId: grant.id, now, expiresAt, refreshToken: refresh?.row, jkt: proof?.jkt }
  const license = await findLicenseOfSubject(ctx, subject)
  await proof?.use()
  if (!(await redeemCode(ctx.db, redemption))) return undefined
  return issueTokens(ctx, subject, { refreshToken: refresh?.token, nonce: grant.nonce, license, proof })
}
