import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { TenantCaller } from '../../http/callers.ts'
import { type Eventual, whenThere } from '../../lib/eventual.ts'
import { toId } from '../../lib/ids.ts'
import { findLicense, type License, type Question } from '../licenses.ts'
import type { CheckBody, CheckResult, FeatureFields, FeatureResult } from '../schema.ts'

/** What a request asks, from its fields and who asks. */
export function toQuestion(
  caller: TenantCaller,
  { userId, applicationId, minRevision }: CheckBody,
  { headers }: FastifyRequest,
): Question {
  const { tenantId } = caller
  const about = subjectOf(caller, userId)
  const least = minRevision ?? readRevision(headers['x-license-min-revision'])
  return {
    tenantId,
    userId: about,
    applicationId,
    ...(least !== undefined && { minRevision: BigInt(least) }),
  }
}

/** Whom it is about. A third-party application learns of nobody but who uses it. */
function subjectOf(caller: TenantCaller, userId: string | undefined): string {
  if (caller.kind === 'machine') {
    if (userId === undefined) throw invalid('userId', 'is required with the token of a machine')
    return userId
  }
  if (userId === undefined || toId(userId) === caller.userId) return caller.userId
  if (!caller.trusted) throw new AppError('FORBIDDEN')
  return userId
}

/** Why somebody has no licence is between them and those who look after the tenant. */
export function requireConfidant(caller: TenantCaller, { userId }: Question): void {
  if (caller.kind === 'machine' || caller.userId === toId(userId)) return
  if (!caller.trusted || caller.tenantRole === 'member') throw new AppError('FORBIDDEN')
}

/** What tells of others is not for third-party applications. */
export function requireTrusted(caller: TenantCaller): TenantCaller {
  if (caller.kind === 'person' && !caller.trusted) throw new AppError('FORBIDDEN')
  return caller
}

function readRevision(header: string | string[] | undefined): string | undefined {
  if (header === undefined || (typeof header === 'string' && /^\d{1,18}$/.test(header))) return header
  throw invalid('X-License-Min-Revision', 'must be a revision')
}

const invalid = (field: string, message: string) =>
  new AppError('VALIDATION_FAILED', { details: [{ field, message }] })

export const check = (ctx: Ctx, question: Question): Eventual<CheckResult> =>
  whenThere(findLicense(ctx, question), toCheckResult)

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

/** Whether their licence has a feature, as it is answered. */
export const checkFeature = (ctx: Ctx, question: Question, featureKey: string): Eventual<FeatureResult> =>
  whenThere(findLicense(ctx, question), (license) => ({
    hasFeature: license?.features.includes(featureKey) ?? false,
  }))

/** The key that a POST asks for, wherever it stands. */
export function requireFeatureKey({ featureKey }: Pick<FeatureFields, 'featureKey'>): string {
  if (featureKey === undefined) throw invalid('featureKey', 'is required')
  return featureKey
}
