import { Command } from 'commander'
export const importCommand = new Command('import').description('bring people along from another system')
