import { expect, test } from 'tstyche'

import type { FastifyError } from 'fastify'
import type * as implementation from '../src/index.ts'
import type * as contract from './index.d.ts'

type Implementation = typeof implementation
type Contract = typeof contract

type Class = new (...args: never) => object

/** The members of each class, and of each method its parameters, which TypeScript otherwise compares both ways. */
type Members<Module> = {
  [name in keyof Module]: Module[name] extends Class ? ParametersOf<InstanceType<Module[name]>> : never
}
type ParametersOf<Type> = {
  readonly [name in keyof Type]-?: Type[name] extends (...args: infer Args) => unknown ? Args : never
}

/** The constructor of an error class, whose code and status the implementation knows as a string and a number only. */
type ErrorClass<Type extends Class> = new (
  ...args: ConstructorParameters<Type>
) => FastifyError & Omit<InstanceType<Type>, 'code' | 'statusCode'>

test('the implementation exports what the contract declares, and nothing else', () => {
  expect<keyof Implementation>().type.toBe<keyof Contract>()
})

test('the classes have the members and parameters that the contract declares, and no others', () => {
  expect<Members<Implementation>>().type.toBe<Members<Contract>>()
})

test('the implementation is what the contract declares', () => {
  expect<Implementation>().type.toBeAssignableTo<Omit<Contract, `${string}Error`>>()
})

test('the errors of the implementation are those that the contract declares', () => {
  expect<Implementation['VersionNotFoundError']>()
    .type.toBeAssignableTo<ErrorClass<Contract['VersionNotFoundError']>>()
  expect<Implementation['VersionNotAcceptableError']>()
    .type.toBeAssignableTo<ErrorClass<Contract['VersionNotAcceptableError']>>()
})
