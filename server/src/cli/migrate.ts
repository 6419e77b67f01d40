import { Command } from 'commander'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { listPending } from '../db/migrate.ts'
import { type MigrationPlan, planMigrations, type Step } from '../db/migration-plan.ts'
import { connect, openDb } from '../db/open.ts'
import { estimateRows, type RowCounts } from '../db/row-counts.ts'
import { runCommand } from './run.ts'

export const migrateCommand = new Command('migrate')
  .description('migrate the database (the service also does so when it starts)')
  .option('--plan', 'only print the steps, their locks, and whether they are safe under traffic')
  .action(async ({ plan }: { plan?: boolean }) => {
    const config = loadCommandConfig(processEnvironment())
    if (plan) return showPlan(config)
    await runCommand(config, async (_ctx, { applied }) => {
      for (const { version, name } of applied) console.log(`applied ${version} ${name}`)
      console.log(applied.length === 0 ? 'The database is up to date.' : 'Done.')
    })
  })

async function showPlan(config: ReturnType<typeof loadCommandConfig>): Promise<void> {
  const connection = await connect(config, 'share')
  const db = openDb(connection, 1)
  try {
    const plans = planMigrations(await listPending(connection.direct))
    if (plans.length === 0) return console.log('The database is up to date.')
    // Estimates, because counting would take as long as the slow steps.
    const sizes = await estimateRows(db)
    for (const planned of plans) describePlan(planned, sizes)
    console.log(describeSafety(plans))
  } finally {
    await db.destroy()
    await connection.close()
  }
}

function describePlan({ migration, steps, warnings }: MigrationPlan, sizes: RowCounts): void {
  const { version, name, oldestProgram } = migration
  console.log(`${String(version).padStart(4, '0')} ${name}`)
  // Locks on tables that do not exist yet affect nothing.
  const onTables = steps.filter(({ table }) => table === undefined || table in sizes)
  for (const line of new Set(onTables.filter(isRelevant).map((step) => describeStep(step, sizes)))) {
    console.log(`  ${line}`)
  }
  for (const [table, reason] of warnings) console.log(`  takes time on ${table}: ${reason}`)
  console.log(
    oldestProgram === undefined
      ? '  programs that do not know it must be stopped'
      : `  programs that know migration ${String(oldestProgram).padStart(4, '0')} go on working`,
  )
}

const isRelevant = ({ table, isSlow }: Step): boolean => table !== undefined || isSlow

const describeStep = ({ table, lock, effect }: Step, sizes: RowCounts): string =>
  [table && `${table} (about ${sizes[table]} rows)`, [lock && `lock ${lock}`, effect].filter(Boolean).join(': ')]
    .filter(Boolean)
    .join(', ')

function describeSafety(plans: MigrationPlan[]): string {
  if (plans.some(({ migration }) => migration.oldestProgram === undefined)) {
    return 'Stop all nodes before you start this release: programs of earlier releases do not work on its schema.'
  }
  return plans.some(({ steps }) => steps.some(({ isSlow }) => isSlow))
    ? 'Nodes may go on running. Choose a quiet hour: requests may wait for what takes time.'
    : 'Safe under traffic: nodes may go on running, and nobody waits for longer than an instant.'
}
