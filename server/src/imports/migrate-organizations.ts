import type { Ctx } from '../context.ts'
import { applyDeclaration } from '../declaration/apply.ts'
import type { Section } from '../declaration/section.ts'
import { AppError, type FieldProblem } from '../errors.ts'
import { isSlug, toSlug } from '../lib/names.ts'
import { findTenant, validateTenant } from '../tenants/service.ts'
import type { Organization, ProviderExport } from './providers/export.ts'
import type { Mappings, MembershipIndex } from './providers/memberships.ts'
import type { RowProblem } from './row.ts'

export interface TenantSummary {
  imported: number
  /** Tenants that exist with the same name, or that the operator named. */
  existing: number
  failed: number
}

interface OrganizationImport {
  source: ProviderExport
  index: MembershipIndex
  sections: Section[]
  mappings: Mappings
  dryRun: boolean
  onProblem(problem: RowProblem): void
  signal?: AbortSignal
}

interface NewTenant {
  slug: string
  name: string
  suspended?: boolean
}

/** The tenants of one transaction. */
const BATCH_SIZE = 200

/** Creates the tenants and adds their members to the index. Existing tenants are not changed. */
export async function importOrganizations(
  ctx: Ctx,
  { source, index, sections, mappings, dryRun, onProblem, signal }: OrganizationImport,
): Promise<TenantSummary & { created: Set<string> }> {
  const summary: TenantSummary = { imported: 0, existing: 0, failed: 0 }
  const created = new Set<string>()
  const used = new Set<string>()
  let batch: NewTenant[] = []
  const flush = async () => {
    if (batch.length === 0) return
    const request = { declaration: { tenants: batch }, prune: false, approve: () => {}, ...(signal && { signal }) }
    if (!dryRun) await applyDeclaration(ctx, sections, request)
    batch = []
  }
  const reject = (problem: RowProblem) => {
    summary.failed++
    onProblem(problem)
  }
  for await (const organization of source.readOrganizations?.(index) ?? []) {
    if ('reason' in organization) {
      reject(organization)
      continue
    }
    const tenant = await resolveTenant(ctx, organization, { mappings, used })
    if ('reason' in tenant) {
      reject(tenant)
      continue
    }
    used.add(tenant.slug)
    for (const { userKey, roles } of organization.members) index.addMember(userKey, tenant.slug, roles)
    if (tenant.exists) summary.existing++
    else {
      summary.imported++
      created.add(tenant.slug)
      const { slug, name } = tenant
      batch.push({ slug, name, ...(organization.suspended && { suspended: true }) })
    }
    if (batch.length === BATCH_SIZE) await flush()
  }
  await flush()
  return { ...summary, created }
}

interface ResolvedTenant {
  slug: string
  name: string
  exists: boolean
}

async function resolveTenant(
  ctx: Ctx,
  { line, place, keys, name, slug: preferred }: Organization,
  { mappings, used }: { mappings: Mappings; used: Set<string> },
): Promise<ResolvedTenant | RowProblem> {
  const chosen = keys.map((key) => mappings.organizations.get(key)).find((slug) => slug !== undefined)
  const slug = chosen ?? (preferred !== undefined && isSlug(preferred) ? preferred : toSlug(name, ''))
  const refuse = (reason: string): RowProblem => ({
    line,
    place,
    reason: `the organization cannot become the tenant "${slug}": ${reason}. Choose one with --map-organization`,
  })
  if (used.has(slug)) return refuse('another organization of the export has become it')
  const existing = isSlug(slug) ? await findTenant(ctx, slug) : undefined
  if (existing && chosen === undefined && existing.name !== name.trim()) {
    return refuse('there is a tenant with this slug and another name')
  }
  if (existing) return { slug, name: existing.name, exists: true }
  const problem = findProblem({ slug, name })
  return problem === undefined ? { slug, name: name.trim(), exists: false } : refuse(problem)
}

function findProblem(tenant: { slug: string; name: string }): string | undefined {
  try {
    validateTenant(tenant)
    return undefined
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    const details = (Array.isArray(error.details) ? error.details : []) as FieldProblem[]
    return details.map(({ field, message }) => `its ${field} ${message}`).join('; ') || error.message
  }
}
