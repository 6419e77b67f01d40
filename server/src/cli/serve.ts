import { Command } from 'commander'
import { loadConfig, processEnvironment, readConfig } from '../config.ts'
import { startService } from '../main.ts'
import { refuseDemoWorld } from './demo-world.ts'
import { runUntilStopped } from './run.ts'

export const serveCommand = new Command('serve')
  .description('run the service for production')
  .addHelpText(
    'after',
    '\nRefuses to start on a database that holds the demo, without LATCHKEY_ENCRYPTION_KEY, or on plain http ' +
      'beyond localhost.',
  )
  .action(async () => {
    const config = loadConfig('serve', processEnvironment())
    const service = await startService(config, refuseDemoWorld)
    for (const warning of readConfig('serve', processEnvironment()).warnings) service.ctx.log.warn(warning)
    service.ctx.log.info({ baseUrl: config.baseUrl, host: config.host, port: config.port }, 'ready')
    await runUntilStopped(service)
  })
