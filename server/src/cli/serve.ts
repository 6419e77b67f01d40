import { Command, Option } from 'commander'
import { loadConfig, processEnvironment } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { refuseDemoData } from './demo-data.ts'
import { runService } from './run.ts'

export const serveCommand = new Command('serve')
  .description('run the service for production')
  .addHelpText(
    'after',
    '\nRefuses to start on a database that holds the demo, without LATCHKEY_ENCRYPTION_KEY, or on plain http ' +
      'beyond localhost.',
  )
  .addOption(new Option('--test').hideHelp())
  .action(async ({ test }: { test?: true }) => {
    if (test) {
      throw new OperatorError(
        'Test mode is not for production: anybody can move its clock and delete its data. ' +
          'For tests, run: latchkey demo --test',
      )
    }
    const config = loadConfig('serve', processEnvironment())
    await runService(config, {
      prepare: refuseDemoData,
      onReady: ({ log }) => log.info({ baseUrl: config.baseUrl, host: config.host, port: config.port }, 'ready'),
    })
  })
