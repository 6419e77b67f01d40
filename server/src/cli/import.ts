import { Command } from 'commander'
import { providerCommands } from './import-providers.ts'
import { usersCommand } from './import-users.ts'

export const importCommand = new Command('import')
  .description('import data from another system')
  .addCommand(usersCommand)
for (const command of providerCommands) importCommand.addCommand(command)
