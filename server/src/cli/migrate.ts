import { Command } from 'commander'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { migrate } from '../db/migrate.ts'
import { connect } from '../db/open.ts'

export const migrateCommand = new Command('migrate')
  .description("bring the database to this program's schema (the service does so by itself when it starts)")
  .action(async () => {
    const connection = await connect(loadCommandConfig(processEnvironment()), 'share')
    try {
      const applied = await migrate(connection.direct)
      for (const { version, name } of applied) console.log(`applied ${version} ${name}`)
      console.log(applied.length === 0 ? 'The database is up to date.' : 'Done.')
    } finally {
      await connection.close()
    }
  })
