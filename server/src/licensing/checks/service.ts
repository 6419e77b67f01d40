import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { TenantCaller } from '../../http/routing/callers.ts'
import { t } from '../../languages/translate.ts'
import { toId } from '../../lib/ids.ts'
import { findLicense, type License, type LicenseQuery } from '../licenses.ts'
import type { CheckBody, CheckResult, FeatureFields, FeatureResult } from '../schema.ts'

export function toLicenseQuery(caller: TenantCaller, body: CheckBody, { headers }: FastifyRequest): LicenseQuery {
  const userId = requireReadableUserId(caller, body.userId)
  const revision = body.minRevision ?? parseRevision(headers['x-license-min-revision'])
  return {
    tenantId: caller.tenantId,
    userId,
    applicationId: body.applicationId,
    ...(revision !== undefined && { minRevision: BigInt(revision) }),
  }
}

/** The user whose license is read. A third-party application may only read that of its own user. */
function requireReadableUserId(caller: TenantCaller, userId: string | undefined): string {
  if (caller.kind === 'machine') {
    if (userId === undefined) throw invalid('userId', t('is required with the token of a machine'))
    return userId
  }
  if (userId === undefined || toId(userId) === caller.userId) return caller.userId
  if (!caller.trusted) throw new AppError('FORBIDDEN')
  return userId
}

/** An explanation is for the user and for the owners, admins and machines of the tenant. */
export function requireExplainAccess(caller: TenantCaller, { userId }: LicenseQuery): void {
  if (caller.kind === 'machine' || caller.userId === toId(userId)) return
  if (!caller.trusted || caller.tenantRole === 'member') throw new AppError('FORBIDDEN')
}

/** Data about other users is not for third-party applications. */
export function requireTrusted(caller: TenantCaller): TenantCaller {
  if (caller.kind === 'person' && !caller.trusted) throw new AppError('FORBIDDEN')
  return caller
}

function parseRevision(header: string | string[] | undefined): string | undefined {
  if (header === undefined || (typeof header === 'string' && /^\d{1,18}$/.test(header))) return header
  throw invalid('X-License-Min-Revision', t('must be a revision'))
}

const invalid = (field: string, message: string) => new AppError('VALIDATION_FAILED', { details: [{ field, message }] })

export const checkLicense = async (ctx: Ctx, query: LicenseQuery): Promise<CheckResult> =>
  toCheckResult(await findLicense(ctx, query))

function toCheckResult(license: License | undefined): CheckResult {
  if (!license) return { hasLicense: false, licenseType: null, licenseTypeName: null, features: [] }
  const { type, name, features, assignedAt } = license
  return {
    hasLicense: true,
    licenseType: type,
    licenseTypeName: name,
    features,
    assignedAt: assignedAt.toISOString(),
  }
}

export async function checkFeature(ctx: Ctx, query: LicenseQuery, featureKey: string): Promise<FeatureResult> {
  const license = await findLicense(ctx, query)
  return { hasFeature: license?.features.includes(featureKey) ?? false }
}

/** A POST may send the key in the body or in the query string, so the schema cannot require it. */
export function requireFeatureKey({ featureKey }: Pick<FeatureFields, 'featureKey'>): string {
  if (featureKey === undefined) throw invalid('featureKey', t('is required'))
  return featureKey
}
