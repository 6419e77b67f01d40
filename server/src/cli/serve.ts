import { Command } from 'commander'
import { loadConfig, processEnvironment } from '../config.ts'
import { refuseDemoWorld } from './demo-world.ts'
import { runService } from './run.ts'

export const serveCommand = new Command('serve')
  .description('run the service for production')
  .addHelpText(
    'after',
    '\nRefuses to start on a database that holds the demo, without LATCHKEY_ENCRYPTION_KEY, or on plain http ' +
      'beyond localhost.',
  )
  .action(async () => {
    const config = loadConfig('serve', processEnvironment())
    await runService(config, {
      prepare: refuseDemoWorld,
      onReady: ({ log }) =>
        log.info({ baseUrl: config.baseUrl, host: config.host, port: config.port }, 'ready'),
    })
  })
