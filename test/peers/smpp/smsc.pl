#!/usr/bin/perl
# An SMSC on Net::SMPP, an implementation we have no part in. Takes every message and sends a receipt for it, with the habits
# its one argument names: a JSON object {port?, system_id, password, answer, receipt, tlv, early, carrier, stat, err, binds, submits, unbinds,
# esm_class, source, done}.
#   answer, receipt, tlv  how the id is written in the answer, the receipt's text, its optional parameter:
#                         "hex" | "decimal" | "padded" (decimal)
#   early                 receipt before the answer: true | false
#   carrier               where the receipt is: "text" | "tlvs" (no text at all) | "data_sm" | "payload"
#   binds, submits        the statuses of the first binds and of the first messages, which are refused
#   unbinds               true: a message makes it unbind first, and take and answer it 200 ms later
#   esm_class             of receipts, default 4
#   source                "national": the phone in a receipt without its country code, which has three digits
#   done                  the done date as it is, default now
# Writes one line of JSON for each PDU it read, in its own words; octets as hex.
use strict;
use warnings;
no warnings 'portable';    # 64-bit numbers are meant
use IO::Select;
use IO::Socket;
use JSON::PP;
use Net::SMPP;
use POSIX qw(strftime);

my $habits = decode_json(shift // '{}');
my $id     = 0x7A00_0000_0000_0F00;    # beyond 2^53: read as a float it is another id
my %states = (ENROUTE => 1, DELIVRD => 2, EXPIRED => 3, UNDELIV => 5, REJECTD => 8);
my (%name_of, @receivers);
$name_of{ $_->[0] } = $_->[1] for map { [ $_, Net::SMPP::pdu_tab->{$_}{cmd} ] } keys %{ +Net::SMPP::pdu_tab };

my $listener = Net::SMPP->new_listen('127.0.0.1', port => $habits->{port} // 0, smpp_version => 0x34)
  or die "cannot listen: $!";
$| = 1;
print encode_json({ listening => $listener->sockport }), "\n";

my $readable = IO::Select->new($listener);
while (my @ready = $readable->can_read) {
    for my $socket (@ready) {
        if ($socket == $listener) {
            my $client = $listener->accept;
            # Two answers in a row would wait for the acknowledgement of the first (Nagle's algorithm).
            $client->setsockopt(Socket::IPPROTO_TCP(), Socket::TCP_NODELAY(), 1);
            ${*$client}{enquire_interval} = 0;
            $readable->add($client);
        }
        elsif (!serve($socket)) {
            @receivers = grep { $_ != $socket } @receivers;
            $readable->remove($socket);
            close $socket;
        }
    }
}

# One PDU; false when the connection is over.
sub serve {
    my $client = shift;
    local $SIG{__WARN__} = sub { };    # "premature eof" is how every connection ends
    my $pdu  = $client->read_pdu or return 0;
    my $name = $name_of{ $pdu->{cmd} } // sprintf('0x%08x', $pdu->{cmd});
    print encode_json({ pdu => $name, map { $_ => /message$|data$|payload/ ? unpack('H*', $pdu->{$_}) : $pdu->{$_} } keys %$pdu }), "\n";
    if ($name =~ /^bind_(\w+)$/ && $name !~ /_resp$/) {
        my $known = $pdu->{system_id} eq $habits->{system_id} && $pdu->{password} eq $habits->{password};
        my $status = shift @{ $habits->{binds} // [] } // ($known ? 0 : 0x0e);
        $known &&= $status == 0;
        my $answer = $name . '_resp';
        $client->$answer(seq => $pdu->{seq}, status => $status, system_id => 'PERL', sc_interface_version => pack('C', 0x34));
        push @receivers, $client if $known && $1 ne 'transmitter';
    }
    elsif ($name eq 'submit_sm')    { take($client, $pdu) }
    elsif ($name eq 'enquire_link') { $client->enquire_link_resp(seq => $pdu->{seq}) }
    elsif ($name eq 'unbind')       { $client->unbind_resp(seq => $pdu->{seq}); return 0 }
    elsif ($name !~ /_resp$/)       { $client->generic_nack(seq => $pdu->{seq}, status => 3) }
    return 1;
}

sub take {
    my ($client, $pdu) = @_;
    my $refusal = shift @{ $habits->{submits} // [] };
    return $client->submit_sm_resp(seq => $pdu->{seq}, status => $refusal, message_id => '') if $refusal;
    if ($habits->{unbinds}) {
        $client->unbind(async => 1);
        select undef, undef, undef, 0.2;
    }
    $id += 1;
    my @answer = (seq => $pdu->{seq}, message_id => written($habits->{answer}));
    $client->submit_sm_resp(@answer) unless $habits->{early};
    receipt($pdu) if $pdu->{registered_delivery} & 1;
    $client->submit_sm_resp(@answer) if $habits->{early};
}

sub written { my $base = shift; return $base eq 'hex' ? sprintf('%X', $id) : $base eq 'padded' ? sprintf('%020d', $id) : "$id" }

sub receipt {
    my $pdu  = shift;
    my $stat = $habits->{stat} // 'DELIVRD';
    my $now  = strftime('%y%m%d%H%M', gmtime);
    my $from = $pdu->{destination_addr};
    $from = substr $from, 3 if ($habits->{source} // '') eq 'national';
    my $text = sprintf 'id:%s sub:001 dlvrd:%03d submit date:%s done date:%s stat:%s err:%s text:%s', written($habits->{receipt}),
      $stat eq 'DELIVRD', $now, $habits->{done} // $now, $stat, $habits->{err} // '000', substr($pdu->{short_message}, 0, 20);
    my %fields = (
        source_addr_ton => 1, source_addr_npi => 1, source_addr => $from,
        dest_addr_ton => $pdu->{source_addr_ton}, destination_addr => $pdu->{source_addr}, esm_class => $habits->{esm_class} // 4, async => 1,
    );
    my @tlvs = (receipted_message_id => written($habits->{tlv} // $habits->{receipt}) . "\0", message_state => pack('C', $states{$stat} // 7));
    my $carrier = $habits->{carrier};
    my $receiver = $receivers[0] or return;
    if    ($carrier eq 'text')    { $receiver->deliver_sm(%fields, short_message => $text) }
    elsif ($carrier eq 'tlvs')    { $receiver->deliver_sm(%fields, short_message => '', @tlvs) }
    elsif ($carrier eq 'data_sm') { $receiver->data_sm(%fields, @tlvs, message_payload => $text) }
    else                          { $receiver->deliver_sm(%fields, short_message => '', message_payload => $text) }
}
