import type { Ctx } from '../context.ts'
import type { Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { findTenantIds } from '../tenants/import.ts'
import type { OnConflict } from '../users/import.ts'
import type { InputFiles } from './input-files.ts'
import { type ClientSummary, importClients } from './migrate-clients.ts'
import { importOrganizations, type TenantSummary } from './migrate-organizations.ts'
import type { ProviderExport } from './providers/export.ts'
import { createMembershipIndex, type Mappings } from './providers/memberships.ts'
import type { RowProblem } from './row.ts'
import { type ImportSummary, importUsers } from './service.ts'

/**
 * Import of the export files of another identity provider. The files are converted to rows and declarations, which are
 * written by the same code as `latchkey import users` and `latchkey apply`. Organizations become tenants first, because
 * a user and their memberships are written in one transaction.
 */

export interface MigrationOptions {
  /** The files that the export is read from, to measure the progress. */
  files: InputFiles
  /** The sections of a declaration that write tenants, applications and clients. */
  sections: Section[]
  mappings: Mappings
  onConflict: OnConflict
  dryRun: boolean
  /** The application that imported clients belong to. Undefined: clients are not imported. */
  application: string | undefined
  onProblem(problem: RowProblem): void
  onLoss(loss: RowProblem): void
  /** Called after each batch of users. */
  onProgress(summary: ImportSummary): void
  /** Once it aborts, nothing more is written. */
  signal?: AbortSignal
}

export interface MigrationSummary {
  tenants: TenantSummary
  users: ImportSummary
  clients: ClientSummary | undefined
  /** New tenants of which nobody is the owner. */
  tenantsWithoutOwner: string[]
  /** The names of groups and roles that were not translated, with the number of users. */
  unmapped: [string, number][]
}

export async function migrate(ctx: Ctx, source: ProviderExport, options: MigrationOptions): Promise<MigrationSummary> {
  await requireMappedTenants(ctx, options.mappings)
  const index = createMembershipIndex(options.mappings)
  const { created, ...tenants } = await importOrganizations(ctx, { source, index, ...options })
  options.signal?.throwIfAborted()
  options.files.expect(source.userFiles)
  const users = await importUsers(ctx, {
    rows: source.readUsers(index),
    onConflict: options.onConflict,
    defaultMembership: {},
    dryRun: options.dryRun,
    plannedTenants: created,
    onProblem: options.onProblem,
    onLoss: options.onLoss,
    onProgress(summary) {
      options.signal?.throwIfAborted()
      options.onProgress(summary)
    },
  })
  const clients =
    options.application !== undefined && source.readClients
      ? await importClients(ctx, { ...options, clients: source.readClients(), application: options.application })
      : undefined
  return {
    tenants,
    users,
    clients,
    tenantsWithoutOwner: [...created].filter((slug) => !index.ownedTenants.has(slug)),
    unmapped: [...index.unmapped].toSorted(([, a], [, b]) => b - a),
  }
}

/** The tenants of groups are not created: they may only be misspelled. */
async function requireMappedTenants({ db }: Ctx, { groups, tenant }: Mappings): Promise<void> {
  const slugs = [...groups.values(), ...(tenant === undefined ? [] : [tenant])]
  const known = await findTenantIds(db, slugs)
  const unknown = slugs.find((slug) => !known.has(slug))
  if (unknown !== undefined) throw new OperatorError(`There is no tenant ${unknown}. Create it first.`)
}
