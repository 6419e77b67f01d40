import { findApplicationNamed } from '../applications/service.ts'
import type { Ctx } from '../context.ts'
import { applyDeclaration } from '../declaration/apply.ts'
import { createPlan } from '../declaration/plan.ts'
import type { Declaration, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import type { OnConflict } from '../users/import.ts'
import type { ImportedClient } from './providers/export.ts'
import type { RowProblem } from './row.ts'

export interface ClientSummary {
  imported: number
  updated: number
  existing: number
  failed: number
}

interface ClientImport {
  clients: AsyncIterable<ImportedClient | RowProblem>
  /** The slug of the application. It is created if it does not exist. */
  application: string
  sections: Section[]
  onConflict: OnConflict
  dryRun: boolean
  onProblem(problem: RowProblem): void
  onLoss(loss: RowProblem): void
  signal?: AbortSignal
}

/** Each client is a declaration of its own, so that an invalid one does not prevent the others. */
export async function importClients(ctx: Ctx, options: ClientImport): Promise<ClientSummary> {
  const summary: ClientSummary = { imported: 0, updated: 0, existing: 0, failed: 0 }
  for await (const client of options.clients) {
    if ('reason' in client) {
      summary.failed++
      options.onProblem(client)
      continue
    }
    const { line, place, clientId, losses } = client
    try {
      const outcome = await importClient(ctx, client, options)
      summary[outcome]++
      if (outcome !== 'imported') continue
      for (const loss of losses) options.onLoss({ line, place, reason: `of the client ${clientId}, ${loss}` })
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      summary.failed++
      options.onProblem({ line, place, reason: error.message.replace(/\.$/, '') })
    }
  }
  return summary
}

async function importClient(
  ctx: Ctx,
  { entry }: ImportedClient,
  { application, sections, onConflict, dryRun, signal }: ClientImport,
): Promise<'imported' | 'updated' | 'existing'> {
  const isNewApplication = (await findApplicationNamed(ctx, application)) === undefined
  const declaration: Declaration = {
    ...(isNewApplication && { applications: [{ slug: application, name: application }] }),
    clients: [{ ...entry, application }],
  }
  const plan = await createPlan(ctx, sections, { declaration, prune: false })
  const change = plan.changes.find(({ subject }) => subject.startsWith('client '))
  if (!change || (change.action === 'update' && onConflict === 'skip')) return 'existing'
  const request = { declaration, prune: false, approve: () => {}, ...(signal && { signal }) }
  if (!dryRun) await applyDeclaration(ctx, sections, request)
  return change.action === 'create' ? 'imported' : 'updated'
}
