// Go's files: how they are written, what Go's own plugins get to see, and what of the contract is in them. That a new
// operation reaches them is in generated.test.ts.
import { toBinary } from '@bufbuild/protobuf';
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  FileDescriptorProtoSchema,
  MethodOptions_IdempotencyLevel,
} from '@bufbuild/protobuf/wkt';
import { beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../sdks/codegen/src/contract.ts';
import { goFiles } from '../../sdks/codegen/src/go/files.ts';
import { bareRequest } from '../../sdks/codegen/src/go/strip.ts';
import { constantName, doc, fields, goName, label, parameterName, sentence } from '../../sdks/codegen/src/go/text.ts';
import { pluginRequest } from '../support/contract.ts';

let request: CodeGeneratorRequest;
beforeAll(() => {
  request = pluginRequest();
});

describe('text', () => {
  test.each([
    ['session_status', 'pending', 'SessionStatusPending'],
    ['receipt_status', 'DELIVRD', 'ReceiptStatusDELIVRD'],
    ['event_type', 'receipt.updated', 'EventTypeReceiptUpdated'],
    ['error_code', 'invalid_api_key', 'ErrorCodeInvalidAPIKey'],
    ['channel', 'sms', 'ChannelSMS'],
    ['channel', 'whatsapp', 'ChannelWhatsApp'],
  ])('%s %s is %s', (set, value, constant) => {
    expect(constantName(set, value)).toBe(constant);
  });

  test.each([
    ['id', 'id'],
    ['event_id', 'eventID'],
    ['api_key', 'apiKey'],
    ['webhook_endpoints_list_deliveries', 'webhookEndpointsListDeliveries'],
  ])('the parameter of %s is %s', (name, parameter) => {
    expect(parameterName(name)).toBe(parameter);
  });

  test.each([
    ['sender_id', 'SenderID'],
    ['ids', 'IDs'],
    ['CreateApiKeyRequest', 'CreateAPIKeyRequest'],
    ['Identity', 'Identity'],
    ['q850', 'Q850'],
  ])('%s is written %s', (name, written) => {
    expect(goName(name)).toBe(written);
  });

  test('comments begin with the name they are of, and keep their capitals', () => {
    expect(sentence('Send', 'Sends a code.')).toBe('Send sends a code.');
    expect(label('LanguageAr', 'Arabic; a call speaks the local dialect.')).toBe(
      'LanguageAr: Arabic; a call speaks the local dialect.',
    );
  });

  test('comments are wrapped, paragraphs kept apart', () => {
    const lines = doc(`${'word '.repeat(40)}\n\nand more`, '\t').split('\n');
    expect(lines.every((line) => line.startsWith('\t//') && line.length < 120)).toBe(true);
    expect(lines.slice(-2)).toEqual(['\t//', '\t// and more']);
  });

  test('fields of a literal are lined up as gofmt does', () => {
    expect(
      fields(
        [
          ['a', '1'],
          ['long', '2'],
        ],
        '\t',
      ),
    ).toBe('\ta:    1,\n\tlong: 2,');
  });
});

describe("what Go's own plugins see", () => {
  test('no file, import or option but those that messages are made from', () => {
    const bare = bareRequest(request);
    const ours = bare.protoFile.filter((file) => file.package === 'ramz.v1');
    expect(bare.fileToGenerate).toEqual(ours.map(({ name }) => name));
    expect(bare.fileToGenerate).toContain('ramz/v1/verify.proto');
    for (const file of ours) {
      expect(file.dependency.filter((name) => /options|annotations|google\/(api|rpc)/.test(name))).toEqual([]);
      const text = Buffer.from(toBinary(FileDescriptorProtoSchema, { ...file, sourceCodeInfo: undefined })).toString(
        'latin1',
      );
      // Examples, patterns and routes are options, too.
      expect(text).not.toMatch(/order-1042|v1\/verify\/send|session_not_found/);
    }
  });

  test('standard options and comments stay, and the request itself is as it was', () => {
    const before = toBinary(CodeGeneratorRequestSchema, request);
    const verify = bareRequest(request).protoFile.find(({ name }) => name === 'ramz/v1/verify.proto');
    const get = verify?.service[0]?.method.find(({ name }) => name === 'GetSession');
    expect(get?.options?.idempotencyLevel).toBe(MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS);
    expect(verify?.sourceCodeInfo?.location.length).toBeGreaterThan(100);
    expect(toBinary(CodeGeneratorRequestSchema, request)).toEqual(before);
  });
});

describe('files', () => {
  test('what stands in the path is an argument, the rest a request', () => {
    const files = goFiles(readContract(request));
    expect(files['verify_gen.go']).toContain(
      'func (s *VerifyService) Get(ctx context.Context, id string, options ...CallOption) (*Session, error)',
    );
    expect(files['webhook_endpoints_gen.go']).toContain(
      'Update(ctx context.Context, id string, request *UpdateWebhookEndpointRequest, options ...CallOption)',
    );
    expect(files['verify_gen.go']).toContain('iter.Seq2[*SessionSummary, error]');
  });

  const types = () => goFiles(readContract(request))['types_gen.go'] ?? '';
  const struct = (name: string) => new RegExp(`type ${name} struct {\\n([^}]*)\\n}`).exec(types())?.[1] ?? '';

  test('what is absent is left out, what is empty is not', () => {
    expect(struct('CheckResponse')).toContain('Valid bool `json:"valid"`');
    expect(struct('CheckResponse')).toContain('VerifiedAt time.Time `json:"verified_at,omitzero"`');
    expect(struct('Session')).toContain('Messages []Message `json:"messages,omitzero"`');
  });

  test('of a request everything that is empty is left out', () => {
    expect(struct('SendRequest')).toContain('To string `json:"to,omitzero"`');
  });

  test('a pointer is only where empty is another thing than absent', () => {
    expect(struct('UpdateAccountRequest')).toContain('Name string `json:"name,omitzero"`');
    expect(struct('UpdateAccountRequest')).toContain('DefaultSenderID *string `json:"default_sender_id,omitzero"`');
    expect(struct('UpdateAccountRequest')).toContain('InCountryOnly *bool `json:"in_country_only,omitzero"`');
    expect(struct('SendRequest')).toContain('CodeLength int `json:"code_length,omitzero"`');
    expect(struct('TimelineEntry')).toContain('Position *int `json:"position,omitzero"`');
  });

  test('words have types, and what stands in the path is in no request', () => {
    expect(struct('CreateAPIKeyRequest')).toContain('Scopes []Scope `json:"scopes,omitzero"`');
    expect(struct('UpdateWebhookEndpointRequest')).not.toContain('ID string');
    expect(types()).not.toContain('GetSessionRequest');
  });

  test('a body of one field is refused rather than sent wrong', () => {
    const contract = readContract(request);
    const http = (method: Parameters<typeof contract.http>[0]) => {
      const rule = contract.http(method);
      return rule && { ...rule, body: rule.body === '*' ? 'to' : rule.body };
    };
    expect(() => goFiles({ ...contract, http })).toThrow(/body of one field/);
  });

  test('two words that are one constant are refused', () => {
    const contract = readContract(request);
    const values = ['a.b', 'a_b'].map((name) => ({ name, description: '' }));
    expect(() => goFiles({ ...contract, valueSets: [{ name: 'channel', description: '', values }] })).toThrow(
      'ChannelAB',
    );
  });
});
