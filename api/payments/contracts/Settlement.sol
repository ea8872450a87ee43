// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {WebAuthn} from "@openzeppelin/contracts/utils/cryptography/WebAuthn.sol";
import {HolderAccount, withdrawalHashOf} from "./HolderAccount.sol";

/// Moves tokens from holders' accounts to one payee, a batch a transaction, and keeps nothing. The
/// sponsor (`operator`) sends the batches; it moves nothing that a holder's passkey has not approved.
contract Settlement is Ownable2Step, EIP712 {
    using SafeERC20 for IERC20;

    /// The holder signs the hash of this with the passkey; `salt` makes it unique.
    struct Approval {
        bytes32 x;
        bytes32 y;
        address recovery;
        address payee;
        uint96 limit;
        uint64 validUntil;
        bytes32 salt;
    }

    /// `index` (0 to 63) is the capture's own bit: however often it is sent, it lands once.
    struct Capture {
        Approval approval;
        uint8 index;
        uint96 amount;
        WebAuthn.WebAuthnAuth assertion;
    }

    /// The last byte of `id` (0 to 63) is the refund's own bit under the approval, beside those of
    /// the captures: however often it is sent, it lands once.
    struct Refund {
        bytes32 id;
        Approval approval;
        uint96 amount;
    }

    /// A withdrawal that the holder approved; `id` lands once.
    struct Withdrawal {
        bytes32 id;
        bytes32 x;
        bytes32 y;
        address recovery;
        uint96 amount;
        address to;
    }

    /// An account as the chain has it: tokens, units that wait to leave, units that ever left, and
    /// the nonce of the next withdrawal.
    struct Standing {
        uint256 balance;
        uint96 leaving;
        uint128 withdrawn;
        uint64 nonce;
    }

    /// One storage slot per approval: units spent and refunded, and a bit for each capture and each
    /// refund. 64 bits of units are 18 trillion dollars.
    struct Spending {
        uint64 spent;
        uint64 refunded;
        uint64 captures;
        uint64 refunds;
    }

    enum Reason {
        None,
        WrongPayee,
        Expired,
        InvalidIndex,
        AlreadyLanded,
        AmountNotAllowed,
        InvalidAssertion,
        TransferFailed
    }

    uint256 public constant FEE_BPS_MAX = 500;
    /// Captures under one approval, and refunds.
    uint256 public constant BITS_MAX = 64;
    /// Token units of a cent: the fee is rounded down to whole cents.
    uint256 private constant CENT = 10_000;
    /// A transfer that runs out of gas must not read as a holder without money.
    uint256 private constant TRANSFER_GAS = 100_000;
    bytes32 private constant APPROVAL = keccak256(
        "Approval(bytes32 x,bytes32 y,address recovery,address payee,uint96 limit,uint64 validUntil,bytes32 salt)"
    );

    IERC20 public immutable token;
    address public immutable treasury;
    address public immutable implementation;

    address public operator;
    /// Batches and withdrawals that have landed.
    mapping(bytes32 id => bool) public done;
    mapping(bytes32 approval => Spending) public spending;
    /// Units that each payee got by batches, refunds and fees taken off.
    mapping(address payee => int256) public paid;

    event Captured(bytes32 indexed batch, bytes32 indexed approval, uint8 index, address account, uint256 amount);
    event CaptureFailed(bytes32 indexed batch, bytes32 indexed approval, uint8 index, Reason reason);
    event Refunded(bytes32 indexed batch, bytes32 indexed approval, bytes32 id, address account, uint256 amount);
    event RefundFailed(bytes32 indexed batch, bytes32 indexed approval, bytes32 id, Reason reason);
    event Settled(bytes32 indexed batch, address indexed payee, uint256 gross, uint256 refunds, uint256 fee);
    event Released(bytes32 indexed id, address indexed account, address to, uint256 amount);
    event Opened(address indexed account, bytes32 x, bytes32 y, address recovery);
    event OperatorChanged(address operator);

    error NotOperator();
    error AlreadySettled(bytes32 batch);
    error FeeTooHigh();
    error InvalidPayee();
    error NothingLanded(Reason reason);
    error TooLittleGas();

    constructor(IERC20 token_, address owner_, address operator_, address treasury_)
        Ownable(owner_)
        EIP712("Settlement", "1")
    {
        require(treasury_ != address(this), InvalidPayee());
        token = token_;
        treasury = treasury_;
        implementation = address(new HolderAccount(token_));
        operator = operator_;
    }

    /// Lands one batch: takes the captures, pays the refunds, the fee (`feeBps` of what was
    /// captured) to the treasury and the rest to the payee. A capture or refund that fails is an
    /// event; a batch of which nothing lands reverts, and so does one that cannot pay.
    function settle(
        bytes32 batch,
        address payee,
        Capture[] calldata captures,
        Refund[] calldata refunds,
        uint256 feeBps
    ) external {
        require(msg.sender == operator, NotOperator());
        require(!done[batch], AlreadySettled(batch));
        require(feeBps <= FEE_BPS_MAX, FeeTooHigh());
        require(payee != address(this), InvalidPayee());
        done[batch] = true;

        (uint256 gross, Reason failed) = _captureAll(batch, payee, captures);
        uint256 fee = gross * feeBps / 10_000 / CENT * CENT;
        (uint256 asked, Reason[] memory reasons) = _admitAll(payee, refunds);
        uint256 drawn = asked + fee > gross ? asked + fee - gross : 0;
        if (drawn > 0) token.safeTransferFrom(payee, address(this), drawn);
        uint256 refunded = _refundAll(batch, refunds, reasons);

        if (gross == 0 && refunded == 0) {
            revert NothingLanded(captures.length == 0 && reasons.length > 0 ? reasons[0] : failed);
        }
        if (fee > 0) token.safeTransfer(treasury, fee);
        _payOut(payee, gross + drawn - refunded - fee, drawn);
        emit Settled(batch, payee, gross, refunded, fee);
    }

    /// Lets a withdrawal leave before its delay, all of it or nothing. The sponsor sends it, the
    /// holder's assertion moves the money.
    function release(Withdrawal calldata withdrawal, WebAuthn.WebAuthnAuth calldata assertion) external {
        require(msg.sender == operator, NotOperator());
        require(!done[withdrawal.id], AlreadySettled(withdrawal.id));
        done[withdrawal.id] = true;
        address account = open(withdrawal.x, withdrawal.y, withdrawal.recovery);
        HolderAccount(account).release(withdrawal.amount, withdrawal.to, assertion);
        emit Released(withdrawal.id, account, withdrawal.to, withdrawal.amount);
    }

    /// The owner replaces the sponsor.
    function setOperator(address operator_) external onlyOwner {
        operator = operator_;
        emit OperatorChanged(operator_);
    }

    /// Deploys a holder's account, for example to withdraw from it without any capture.
    function open(bytes32 x, bytes32 y, address recovery) public returns (address account) {
        account = accountOf(x, y, recovery);
        if (account.code.length > 0) return account;
        Clones.cloneDeterministicWithImmutableArgs(implementation, abi.encode(x, y, recovery), 0);
        emit Opened(account, x, y, recovery);
    }

    /// The address of a holder's account, deployed or not: money can be sent to it before.
    function accountOf(bytes32 x, bytes32 y, address recovery) public view returns (address) {
        return Clones.predictDeterministicAddressWithImmutableArgs(implementation, abi.encode(x, y, recovery), 0);
    }

    /// The EIP-712 digest of an approval: the challenge of the passkey.
    function approvalHash(Approval calldata approval) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(APPROVAL, approval)));
    }

    /// True where the assertion approves these terms.
    function isApproved(Approval calldata approval, WebAuthn.WebAuthnAuth calldata assertion) external view returns (bool) {
        return WebAuthn.verify(abi.encodePacked(approvalHash(approval)), assertion, approval.x, approval.y);
    }

    /// True where the assertion lets this withdrawal leave the account as it stands.
    function isReleasable(Withdrawal calldata withdrawal, WebAuthn.WebAuthnAuth calldata assertion)
        external
        view
        returns (bool)
    {
        address account = accountOf(withdrawal.x, withdrawal.y, withdrawal.recovery);
        bytes32 hash = withdrawalHashOf(account, nonceOf(account), withdrawal.amount, withdrawal.to);
        return WebAuthn.verify(abi.encodePacked(hash), assertion, withdrawal.x, withdrawal.y);
    }

    /// The nonce of an account's next withdrawal, deployed or not.
    function nonceOf(address account) public view returns (uint64) {
        return account.code.length > 0 ? HolderAccount(account).nonce() : 0;
    }

    /// Each holder's account as it stands, deployed or not.
    function standingsOf(address[] calldata accounts) external view returns (Standing[] memory standings) {
        standings = new Standing[](accounts.length);
        for (uint256 at = 0; at < accounts.length; at++) {
            standings[at].balance = token.balanceOf(accounts[at]);
            if (accounts[at].code.length == 0) continue;
            HolderAccount account = HolderAccount(accounts[at]);
            standings[at].leaving = account.amount();
            standings[at].withdrawn = account.withdrawn();
            standings[at].nonce = account.nonce();
        }
    }

    /// Units that each payee got, refunds and fees taken off.
    function paidTo(address[] calldata payees) external view returns (int256[] memory units) {
        units = new int256[](payees.length);
        for (uint256 at = 0; at < payees.length; at++) units[at] = paid[payees[at]];
    }

    /// Token units that stand in each account.
    function balancesOf(address[] calldata accounts) external view returns (uint256[] memory balances) {
        balances = new uint256[](accounts.length);
        for (uint256 at = 0; at < accounts.length; at++) balances[at] = token.balanceOf(accounts[at]);
    }

    function _captureAll(bytes32 batch, address payee, Capture[] calldata captures)
        private
        returns (uint256 gross, Reason failed)
    {
        for (uint256 at = 0; at < captures.length; at++) {
            Capture calldata capture = captures[at];
            bytes32 hash = approvalHash(capture.approval);
            (Reason reason, address account) = _capture(payee, capture, hash);
            if (reason == Reason.None) {
                gross += capture.amount;
                emit Captured(batch, hash, capture.index, account, capture.amount);
            } else {
                failed = reason;
                emit CaptureFailed(batch, hash, capture.index, reason);
            }
        }
    }

    function _capture(address payee, Capture calldata capture, bytes32 hash) private returns (Reason, address account) {
        Approval calldata approval = capture.approval;
        Spending memory before = spending[hash];
        uint256 spent = uint256(before.spent) + capture.amount;
        if (approval.payee != payee) return (Reason.WrongPayee, account);
        if (block.timestamp > approval.validUntil) return (Reason.Expired, account);
        if (capture.index >= BITS_MAX) return (Reason.InvalidIndex, account);
        uint64 bit = uint64(1) << capture.index;
        if (before.captures & bit != 0) return (Reason.AlreadyLanded, account);
        if (capture.amount == 0 || spent > approval.limit) return (Reason.AmountNotAllowed, account);
        if (spent > type(uint64).max) return (Reason.AmountNotAllowed, account);
        // The passkey's word over this hash was verified when the first capture under it landed.
        if (before.captures == 0 && !_verify(hash, capture)) return (Reason.InvalidAssertion, account);

        spending[hash] = Spending(uint64(spent), before.refunded, before.captures | bit, before.refunds);
        account = open(approval.x, approval.y, approval.recovery);
        require(gasleft() > TRANSFER_GAS, TooLittleGas());
        try HolderAccount(account).pull(capture.amount) {
            return (Reason.None, account);
        } catch {
            spending[hash] = before;
            return (Reason.TransferFailed, account);
        }
    }

    function _verify(bytes32 hash, Capture calldata capture) private view returns (bool) {
        return WebAuthn.verify(abi.encodePacked(hash), capture.assertion, capture.approval.x, capture.approval.y);
    }

    /// Marks the refunds that may be paid, and sums them.
    function _admitAll(address payee, Refund[] calldata refunds)
        private
        returns (uint256 asked, Reason[] memory reasons)
    {
        reasons = new Reason[](refunds.length);
        for (uint256 at = 0; at < refunds.length; at++) {
            reasons[at] = _admit(payee, refunds[at]);
            if (reasons[at] == Reason.None) asked += refunds[at].amount;
        }
    }

    function _admit(address payee, Refund calldata refund) private returns (Reason) {
        if (refund.approval.payee != payee) return Reason.WrongPayee;
        uint8 index = uint8(uint256(refund.id));
        if (index >= BITS_MAX) return Reason.InvalidIndex;
        bytes32 hash = approvalHash(refund.approval);
        Spending memory before = spending[hash];
        uint64 bit = uint64(1) << index;
        if (before.refunds & bit != 0) return Reason.AlreadyLanded;
        uint256 refunded = uint256(before.refunded) + refund.amount;
        if (refund.amount == 0 || refunded > before.spent) return Reason.AmountNotAllowed;
        spending[hash] = Spending(before.spent, uint64(refunded), before.captures, before.refunds | bit);
        return Reason.None;
    }

    /// Pays the admitted refunds; one that cannot be paid is unmarked, and its money is the payee's.
    function _refundAll(bytes32 batch, Refund[] calldata refunds, Reason[] memory reasons)
        private
        returns (uint256 refunded)
    {
        for (uint256 at = 0; at < refunds.length; at++) {
            Refund calldata refund = refunds[at];
            Approval calldata approval = refund.approval;
            bytes32 hash = approvalHash(approval);
            address account = accountOf(approval.x, approval.y, approval.recovery);
            if (reasons[at] == Reason.None && !_pay(account, refund.amount)) {
                reasons[at] = Reason.TransferFailed;
                spending[hash].refunds ^= uint64(1) << uint8(uint256(refund.id));
                spending[hash].refunded -= uint64(refund.amount);
            }
            if (reasons[at] == Reason.None) {
                refunded += refund.amount;
                emit Refunded(batch, hash, refund.id, account, refund.amount);
            } else {
                emit RefundFailed(batch, hash, refund.id, reasons[at]);
            }
        }
    }

    /// Pays the payee and counts what it got, without what was drawn from it.
    function _payOut(address payee, uint256 net, uint256 drawn) private {
        if (net > 0) token.safeTransfer(payee, net);
        paid[payee] += int256(net) - int256(drawn);
    }

    function _pay(address account, uint256 amount) private returns (bool) {
        require(gasleft() > TRANSFER_GAS, TooLittleGas());
        return token.trySafeTransfer(account, amount);
    }
}
