# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
