// The way from what tests need to what prepares it; nothing else is touched.
import type { DebianPackage, Need } from '../test/needs.ts';
import { prepareAptPackages } from './apt.ts';
import { prepareGoTools } from './go.ts';
import { preparePythonTools } from './python.ts';

/** Resolves with why something is missing still, or undefined. */
type Step = (say: (line: string) => void) => Promise<string | undefined>;

const isPackage = (need: Need): need is DebianPackage => need !== 'go' && need !== 'python';

/** To be taken one after another. */
export function prepare(needs: readonly Need[]): Step[] {
  const packages = needs.filter(isPackage);
  const steps: Step[] = packages.length > 0 ? [(say) => prepareAptPackages(packages, say)] : [];
  if (needs.includes('go')) steps.push(prepareGoTools);
  if (needs.includes('python')) steps.push(preparePythonTools);
  return steps;
}
