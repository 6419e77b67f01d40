import { Command } from 'commander'
import { sections } from '../app.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { applyChanges, describeChanges, planChanges, readDeclaration } from '../declaration/apply.ts'
import { runCommand } from './run.ts'

export const applyCommand = new Command('apply')
  .description('make the instance match a declaration')
  .requiredOption('-f, --file <file>', 'the declaration, in YAML')
  .option('--dry-run', 'print the plan and change nothing')
  .addHelpText(
    'after',
    '\nWhat the declaration does not name is left alone. Applying it twice changes nothing.',
  )
  .action(async ({ file, dryRun = false }: { file: string; dryRun?: boolean }) => {
    const config = loadCommandConfig(processEnvironment())
    const declaration = readDeclaration(file, sections)
    await runCommand(config, async (ctx) => {
      const changes = await planChanges(ctx, sections, declaration)
      console.log(describeChanges(changes))
      if (dryRun || changes.length === 0) return
      await applyChanges(ctx, changes)
      console.log('Applied.')
    })
  })
