/** Why an arithmetic expression has no value. */
export class ArithmeticFault extends Error {
  override readonly name = 'ArithmeticFault';
}

const OPERATORS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<=', '>=', '<', '>'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];
const TOKEN = /\s*(0[xX][\da-fA-F]+|\d+|[A-Za-z_]\w*|\*\*|<<|>>|&&|\|\||[<>=!]=|[-+*/%()<>!~&|^?:])/y;
const DEEPEST = 60;

/**
 * Computes a shell's `$((…))` in 64-bit integers, truncating as C does.
 *
 * @param lookUp gives the text of a variable; undefined: it has none
 * @throws ArithmeticFault for a syntax error, a division by zero or a variable without a number
 */
export function evaluateArithmetic(expression: string, lookUp: (name: string) => string | undefined): string {
  return new Evaluator(expression, lookUp, 0).run().toString();
}

const int64 = (value: bigint): bigint => BigInt.asIntN(64, value);

class Evaluator {
  readonly #tokens: string[] = [];
  readonly #lookUp: (name: string) => string | undefined;
  readonly #depth: number;
  #at = 0;
  #nesting = 0;

  constructor(expression: string, lookUp: (name: string) => string | undefined, depth: number) {
    this.#lookUp = lookUp;
    this.#depth = depth;
    const text = expression.trim();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const from = TOKEN.lastIndex;
      const match = TOKEN.exec(text);
      if (match === null) throw new ArithmeticFault(`"${text.slice(from).trim()}" is no arithmetic`);
      this.#tokens.push(match[1]!);
    }
  }

  run(): bigint {
    if (this.#tokens.length === 0) return 0n;
    const value = this.#conditional();
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw new ArithmeticFault(`"${rest}" is not expected there`);
    return value;
  }

  #conditional(): bigint {
    if (++this.#nesting > DEEPEST) throw new ArithmeticFault('it is nested too deeply');
    const condition = this.#binary(0);
    let value = condition;
    if (this.#tokens[this.#at] === '?') {
      this.#at++;
      const yes = this.#conditional();
      this.#expect(':');
      const no = this.#conditional();
      value = condition !== 0n ? yes : no;
    }
    this.#nesting--;
    return value;
  }

  #binary(level: number): bigint {
    const operators = OPERATORS[level];
    if (operators === undefined) return this.#power();
    let left = this.#binary(level + 1);
    for (let operator = this.#tokens[this.#at]; operator !== undefined && operators.includes(operator); ) {
      this.#at++;
      left = int64(apply(operator, left, this.#binary(level + 1)));
      operator = this.#tokens[this.#at];
    }
    return left;
  }

  #power(): bigint {
    const base = this.#unary();
    if (this.#tokens[this.#at] !== '**') return base;
    this.#at++;
    if (++this.#nesting > DEEPEST) throw new ArithmeticFault('it is nested too deeply');
    let exponent = this.#power();
    this.#nesting--;
    if (exponent < 0n) throw new ArithmeticFault('an exponent is below 0');
    let result = 1n;
    for (let square = base; exponent > 0n; exponent >>= 1n) {
      if (exponent & 1n) result = int64(result * square);
      square = int64(square * square);
    }
    return result;
  }

  #unary(): bigint {
    if (++this.#nesting > DEEPEST) throw new ArithmeticFault('it is nested too deeply');
    const value = this.#primary();
    this.#nesting--;
    return value;
  }

  #primary(): bigint {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new ArithmeticFault('it ends too early');
    if (token === '-') return int64(-this.#unary());
    if (token === '+') return this.#unary();
    if (token === '!') return this.#unary() === 0n ? 1n : 0n;
    if (token === '~') return int64(~this.#unary());
    if (token === '(') {
      const value = this.#conditional();
      this.#expect(')');
      return value;
    }
    if (/^0[xX]/.test(token)) return int64(BigInt(token));
    if (/^0[0-7]+$/.test(token)) return int64(BigInt(`0o${token.slice(1)}`));
    if (/^0\d/.test(token)) throw new ArithmeticFault(`"${token}" is no octal number`);
    if (/^\d/.test(token)) return int64(BigInt(token));
    if (/^[A-Za-z_]/.test(token)) return this.#variable(token);
    throw new ArithmeticFault(`"${token}" is not expected there`);
  }

  #variable(name: string): bigint {
    const text = this.#lookUp(name);
    if (text === undefined) throw new ArithmeticFault(`${name} has no value`);
    if (this.#depth > 8) throw new ArithmeticFault(`${name} refers to itself`);
    return new Evaluator(text, this.#lookUp, this.#depth + 1).run();
  }

  #expect(token: string): void {
    if (this.#tokens[this.#at++] !== token) throw new ArithmeticFault(`a "${token}" is missing`);
  }
}

function apply(operator: string, left: bigint, right: bigint): bigint {
  const truth = (value: boolean): bigint => (value ? 1n : 0n);
  switch (operator) {
    case '||':
      return truth(left !== 0n || right !== 0n);
    case '&&':
      return truth(left !== 0n && right !== 0n);
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '&':
      return left & right;
    case '==':
      return truth(left === right);
    case '!=':
      return truth(left !== right);
    case '<=':
      return truth(left <= right);
    case '>=':
      return truth(left >= right);
    case '<':
      return truth(left < right);
    case '>':
      return truth(left > right);
    case '<<':
      return left << (right & 63n);
    case '>>':
      return left >> (right & 63n);
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    default:
      if (right === 0n) throw new ArithmeticFault('it divides by zero');
      return operator === '/' ? left / right : left % right;
  }
}
