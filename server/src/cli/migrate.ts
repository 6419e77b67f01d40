import { Command } from 'commander'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { runCommand } from './run.ts'

export const migrateCommand = new Command('migrate')
  .description("bring the database to this program's schema (the service does so by itself when it starts)")
  .action(async () => {
    await runCommand(loadCommandConfig(processEnvironment()), async (_ctx, { applied }) => {
      for (const { version, name } of applied) console.log(`applied ${version} ${name}`)
      console.log(applied.length === 0 ? 'The database is up to date.' : 'Done.')
    })
  })
